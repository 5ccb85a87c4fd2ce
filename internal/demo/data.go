package demo

// Customer is the subject whose orders GET /orders lists.
const Customer = "alice"

// slots are the pickup times of a day that is not a Sunday.
func slots() []slot {
	return []slot{{"morning", "10:00", "13:00"}, {"afternoon", "15:00", "18:00"}}
}

// slotRoom is how many pickups one slot takes.
const slotRoom = 6

func seedProducts() []*product {
	return []*product{
		{SKU: "HT-01", Name: "Picker", Stock: 3, Price: 1990, spanish: "Recolector"},
		{SKU: "HT-02", Name: "Leaf Rake", Stock: 12, Price: 1450, spanish: "Rastrillo para hojas"},
		{SKU: "HT-03", Name: "Garden Rake", Stock: 7, Price: 1675, spanish: "Rastrillo"},
		{SKU: "HT-04", Name: "Spade", Stock: 0, Price: 2490, spanish: "Pala"},
		{SKU: "HT-05", Name: "Pruning Shears", Stock: 9, Price: 2205, spanish: "Tijeras de podar"},
		{SKU: "HT-06", Name: "Work Gloves", Stock: 40, Price: 690, spanish: "Guantes de trabajo"},
		{SKU: "PS-01", Name: "Café Planter", Stock: 5, Price: 1205, spanish: "Macetero"},
		{SKU: "PS-02", Name: "Potting Soil", Stock: 60, Price: 850, spanish: "Tierra de hojas"},
	}
}

func seedOrders() []*order {
	return []*order{
		{
			ID: "A-1042", Status: shipped, Placed: "2026-11-27", customer: Customer,
			Items:    []line{{Name: "Picker", Quantity: 1, Price: 1990}, {Name: "Work Gloves", Quantity: 2, Price: 690}},
			Shipment: &shipment{Carrier: "Correo Verde", Expected: "2026-12-03"},
			address:  address{Street: "12 Orchard Lane", City: "Valdivia", Postcode: "5090000"},
		},
		{
			ID: "A-1043", Status: processing, Placed: "2026-11-30", customer: Customer,
			Items:   []line{{Name: "Leaf Rake", Quantity: 1, Price: 1450}},
			address: address{Street: "12 Orchard Lane", City: "Valdivia", Postcode: "5090000"},
		},
		{
			ID: "A-1044", Status: delivered, Placed: "2026-11-12", customer: "bruno",
			Items:    []line{{Name: "Potting Soil", Quantity: 4, Price: 850}, {Name: "Café Planter", Quantity: 2, Price: 1205}},
			Shipment: &shipment{Carrier: "Correo Verde", Expected: "2026-11-16"},
			address:  address{Street: "Av. Los Aromos 340", City: "Concepción", Postcode: "4030000"},
		},
		{
			ID: "A-1045", Status: delivered, Placed: "2026-10-02", customer: Customer,
			Items:    []line{{Name: "Spade", Quantity: 1, Price: 2490}},
			Shipment: &shipment{Carrier: "Correo Verde", Expected: "2026-10-06"},
			address:  address{Street: "12 Orchard Lane", City: "Valdivia", Postcode: "5090000"},
		},
	}
}

func seedReservations() []*reservation {
	return []*reservation{{
		Code: "R-1001", Date: "2026-12-05", Slot: "morning", HoldUntil: "2026-12-07",
		Items: []line{{Name: "Garden Rake", Quantity: 1, Price: 1675}}, Total: 1675,
		phone: "56987654321",
	}}
}

// seedPickups counts the pickups already planned, R-1001 among them.
func seedPickups() map[pickup]int {
	return map[pickup]int{{"2026-12-05", "morning"}: slotRoom, {"2026-12-04", "afternoon"}: 2}
}
