package demo

import "sync"

// A shop is the data of the Backend.
type shop struct {
	mu           sync.Mutex // guards everything below
	products     []*product // in the order of the catalogue; only Stock changes
	orders       []*order
	reservations []*reservation
	pickups      map[pickup]int // how many are planned
	alerts       []alert
	lastCode     int // of a reservation
}

func newShop() *shop {
	s := &shop{
		products:     seedProducts(),
		orders:       seedOrders(),
		reservations: seedReservations(),
		pickups:      seedPickups(),
	}
	for _, p := range s.products {
		p.searched = fold(p.Name + "\n" + p.spanish)
	}
	for _, o := range s.orders {
		o.Total = total(o.Items)
	}
	s.lastCode = firstCode + len(s.reservations)
	return s
}

// A line is one product of an order or a reservation.
type line struct {
	Name     string `json:"name"`
	Quantity int    `json:"quantity"`
	Price    amount `json:"price"`
	GiftWrap bool   `json:"gift_wrap,omitempty"`
}

func total(lines []line) amount {
	var sum amount
	for _, l := range lines {
		sum += amount(l.Quantity) * l.Price
	}
	return sum
}
