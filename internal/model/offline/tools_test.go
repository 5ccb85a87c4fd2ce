package offline

import (
	"time"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// clockNow is a Tuesday.
var clockNow = time.Date(2026, time.December, 1, 10, 0, 0, 0, time.UTC)

func newTestModel() *Model { return New(Options{Now: func() time.Time { return clockNow }}) }

func testTool(name, description, when, parameters string) chat.Tool {
	t := chat.Tool{Name: name, Description: description, WhenToUse: when}
	if parameters != "" {
		t.Parameters = jsondoc.MustParse(parameters)
	}
	return t
}

func shopTools() []chat.Tool {
	return []chat.Tool{
		testTool("check_stock", "Check product stock.", "The visitor asks whether a product is available (¿hay stock?).",
			`{"type":"object","properties":{"product":{"type":"string","description":"The product's name, or a part of it."}},"required":["product"]}`),
		testTool("get_order", "Look up the status of an order.", "The visitor gives an order number and asks where it is or when it arrives (¿dónde está mi pedido?).",
			`{"type":"object","properties":{"order_id":{"type":"string","description":"The order's number, such as A-1042."}},"required":["order_id"]}`),
		testTool("reserve_pickup", "Reserve a product for pickup at the shop.", "The visitor wants to book a product and collect it in person (reservar para retiro en tienda).",
			`{"type":"object","properties":{"product":{"type":"string","description":"The product's name."},"quantity":{"type":"integer","minimum":1,"maximum":20,"default":1},"date":{"type":"string","description":"The day of the pickup, as YYYY-MM-DD."},"slot":{"type":"string","enum":["morning","afternoon"]},"gift_wrap":{"type":"boolean"}},"required":["product","date"]}`),
		testTool("cancel_reservation", "Cancel a reservation.", "The visitor no longer wants what they booked, and gives its code (anular una reserva).",
			`{"type":"object","properties":{"code":{"type":"string","description":"The code of the reservation, such as R-1001."}},"required":["code"]}`),
		testTool("pickup_slots", "List the free pickup times of a day.", "The visitor asks when they can come to the shop (¿a qué hora puedo pasar?).",
			`{"type":"object","properties":{"date":{"type":"string","description":"The day, as YYYY-MM-DD."}},"required":["date"]}`),
	}
}

func accountTools() []chat.Tool {
	return []chat.Tool{
		testTool("notify_restock", "Send an email when a sold-out product is back.", "A product is sold out and the visitor wants to hear when it returns (avísame cuando llegue).",
			`{"type":"object","properties":{"product":{"type":"string","description":"The product's name."},"name":{"type":"string","description":"The visitor's name, if they gave one."}},"required":["product"]}`),
		testTool("my_orders", "List the orders of the signed-in customer.", "The visitor wants to see what they have bought (mis pedidos).",
			`{"type":"object","properties":{"open_only":{"type":"boolean","description":"True to leave out what was already delivered."}}}`),
		testTool("update_order_address", "Change the delivery address of an order.", "The visitor moved or mistyped where the parcel should go, and it has not left the shop.",
			`{"type":"object","properties":{"order_id":{"type":"string","description":"The order's number, such as A-1043."},"address":{"type":"object","properties":{"street":{"type":"string","description":"Street and number."},"city":{"type":"string"},"postcode":{"type":"string"}},"required":["street","city"]}},"required":["order_id","address"]}`),
	}
}

func clinicTools() []chat.Tool {
	return []chat.Tool{
		testTool("agendar_cita", "Agenda una cita con un especialista.", "El paciente quiere pedir hora o agendar (book an appointment).",
			`{"type":"object","properties":{"especialidad":{"type":"string","enum":["pediatría","cardiología","dermatología"]},"fecha":{"type":"string","format":"date"},"nombre":{"type":"string","description":"Nombre del paciente."}},"required":["especialidad","fecha"]}`),
		testTool("cancelar_cita", "Cancela una cita ya agendada.", "El paciente no puede venir (cancel an appointment).",
			`{"type":"object","properties":{"codigo":{"type":"string","pattern":"^C[0-9]{4}$"}},"required":["codigo"]}`),
		testTool("precio_consulta", "Precio de una consulta por especialidad.", "El paciente pregunta cuánto cuesta o vale (price, cost).",
			`{"type":"object","properties":{"especialidad":{"type":"string","enum":["pediatría","cardiología","dermatología"]}},"required":["especialidad"]}`),
	}
}

func saasTools() []chat.Tool {
	return []chat.Tool{
		testTool("create_ticket", "Open a support ticket.", "Something is broken or does not work and the user wants to report it (reportar un problema).",
			`{"type":"object","properties":{"subject":{"type":"string","description":"What is wrong, in one sentence."},"priority":{"type":"string","enum":["low","normal","high"]}},"required":["subject"]}`),
		testTool("reset_password", "Send a link to reset a password.", "The user cannot log in or forgot their password (contraseña).",
			`{"type":"object","properties":{"email":{"type":"string","format":"email"}},"required":["email"]}`),
		testTool("list_invoices", "List invoices.", "The user asks for invoices or receipts (facturas).",
			`{"type":"object","properties":{"status":{"type":"string","enum":["paid","open","overdue"]},"limit":{"type":"integer","minimum":1,"maximum":100}}}`),
		testTool("invite_users", "Invite people to the account.", "The user wants to add teammates (invitar a colegas).",
			`{"type":"object","properties":{"emails":{"type":"array","items":{"type":"string","format":"email"}},"role":{"type":"string","enum":["admin","member"]}},"required":["emails"]}`),
		testTool("change_plan", "Change the subscription plan.", "The user wants to upgrade or downgrade (cambiar de plan, mejorar).",
			`{"type":"object","properties":{"plan":{"type":"string","enum":["free","pro","enterprise"]},"seats":{"type":"integer","minimum":1}},"required":["plan"]}`),
	}
}

func builtinTools() []chat.Tool {
	return []chat.Tool{
		testTool("knowledge_lookup", "Searches the documents that the business wrote for its visitors and returns the passages that fit best, "+
			"each with its file and the headings it stands under. It finds words, in any of their forms, in English and Spanish.",
			"The visitor asks about products, services, policies, prices, hours or anything else that the business may have written down. "+
				"Answer from the passages, and say so when they do not hold the answer.",
			`{"type":"object","properties":{"query":{"type":"string","minLength":1,"maxLength":1000,"description":"The words to look for, in the language of the documents, such as: return policy for opened boxes"}},"required":["query"]}`),
		testTool("identify_contact", "Stores the name that the visitor gave, so that later messages and tools know it.",
			"The visitor says what their name is, or corrects it. Pass the name as they wrote it; never one that was guessed or taken from an email address.",
			`{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":200,"description":"The visitor's name as they gave it"}},"required":["name"]}`),
		testTool("request_contact_info", "Asks the visitor, with a button on WhatsApp, to share their phone number. This ends the turn. "+
			"The number arrives only if the visitor shares it, with a later message.",
			"Another tool needs the visitor's phone number and it is not known yet. When the number has arrived, call that other tool again.",
			`{"type":"object","properties":{}}`),
		testTool("handoff", "Gives the conversation to a person of the business. Nobody but that person answers from then on, until they give it back.",
			"The visitor asks for a person, complains, or reports a damaged delivery.",
			`{"type":"object","properties":{"reason":{"type":"string","minLength":1,"maxLength":1000,"description":"What the visitor needs and what was tried, in one or two sentences for the person who takes over"}},"required":["reason"]}`),
	}
}

func toolSets() map[string][]chat.Tool {
	return map[string][]chat.Tool{
		"shop":   shopTools(),
		"acme":   append(append(shopTools(), accountTools()...), builtinTools()...),
		"clinic": clinicTools(),
		"saas":   saasTools(),
		"hotel":  hotelTools(),
		"bank":   bankTools(),
		"care":   careTools(),

		"records": recordsTools(),
		"food":    foodTools(),
		"banco":   bancoTools(),
	}
}

func hotelTools() []chat.Tool {
	return []chat.Tool{
		testTool("search_rooms", "Search free rooms.", "The guest asks whether there is a room for some nights (habitaciones disponibles).",
			`{"type":"object","properties":{"check_in":{"type":"string","format":"date"},"check_out":{"type":"string","format":"date"},"guests":{"type":"integer","minimum":1,"maximum":8},"room_type":{"type":"string","enum":["single","double","suite"]}},"required":["check_in","check_out"]}`),
		testTool("get-booking", "Show a booking.", "The guest wants to see the details of their booking (reserva).",
			`{"type":"object","properties":{"reference":{"type":"string","pattern":"^[A-Z]{3}\\d{5}$","description":"The booking's reference."}},"required":["reference"]}`),
		testTool("request_cleaning", "Ask housekeeping to clean a room.", "A guest reports a dirty room or needs towels (limpieza, toallas).",
			`{"type":"object","properties":{"room":{"type":"integer","description":"The number of the room."},"time":{"type":"string","description":"When, as HH:MM."},"note":{"type":"string"}},"required":["room"]}`),
		testTool("wifi_code", "Give the wifi password.", "The guest asks how to connect to the internet (clave del wifi).", ""),
		testTool("send_message", "Send a message to a guest.", "Staff want to write to a guest.",
			`{"type":"object","properties":{"phone":{"type":"string"},"message":{"type":"string"}},"required":["phone","message"]}`),
	}
}

func bankTools() []chat.Tool {
	return []chat.Tool{
		testTool("convert_currency", "Convert an amount from one currency to another.", "The customer asks what an amount is worth (tipo de cambio, convertir).",
			`{"type":"object","properties":{"amount":{"type":"number"},"from":{"type":"string","enum":["USD","EUR","CLP"]},"to":{"type":"string","enum":["USD","EUR","CLP"]}},"required":["amount","to"]}`),
		testTool("find_branch", "Find the nearest branch in a city.", "The customer asks where there is a branch (sucursal).",
			`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`),
		testTool("block_card", "Block a lost or stolen card.", "The customer lost their card (bloquear tarjeta).",
			`{"type":"object","properties":{"last_four":{"type":"string","pattern":"^[0-9]{4}$","description":"The last four digits of the card."}},"required":["last_four"]}`),
		testTool("schedule_call", "Schedule a call with an adviser.", "The customer wants to be called back (llamada).",
			`{"type":"object","properties":{"when":{"type":"string","format":"date-time"},"phone_number":{"type":"string"},"topics":{"type":"array","items":{"type":"string"}}},"required":["when","phone_number"]}`),
		testTool("branch_hours", "Opening hours of a branch.", "The customer asks when a branch opens (horario de la sucursal).",
			`{"type":"object","properties":{"branch":{"type":"string","description":"The branch's name."}},"required":["branch"]}`),
	}
}

func careTools() []chat.Tool {
	return []chat.Tool{
		testTool("find_doctors", "List the doctors of the clinic.", "The patient asks which doctors there are, or for a doctor of a specialty.",
			`{"type":"object","properties":{"specialty":{"type":"string","description":"The medical specialty","enum":["cardiology","dermatology"]}}}`),
		testTool("book_appointment", "Book an appointment with a doctor.", "The patient wants to book an appointment.",
			`{"type":"object","properties":{"doctor_id":{"type":"integer","description":"The number of the doctor"},"date":{"type":"string","format":"date","description":"The day of the appointment"},"reason":{"type":"string","description":"The reason of the visit"}},"required":["doctor_id","date"]}`),
		testTool("move_appointment", "Move an appointment to another day.", "The patient wants another day for an appointment.",
			`{"type":"object","properties":{"code":{"type":"string","description":"The code of the appointment such as AP-101"},"date":{"type":"string","format":"date","description":"The new day"}},"required":["code","date"]}`),
		testTool("cancel_appointment", "Cancel an appointment.", "The patient wants to cancel an appointment.",
			`{"type":"object","properties":{"code":{"type":"string","pattern":"^AP-[0-9]+$","description":"The code of the appointment such as AP-101"}},"required":["code"]}`),
	}
}

func recordsTools() []chat.Tool {
	return []chat.Tool{
		testTool("add_note", "Add a note of the customer to one of their repair records.", "",
			`{"type":"object","required":["id","text"],"properties":{"id":{"type":"string","description":"The record's id, such as A-1042."},"text":{"type":"string","description":"What the workshop should know.","maxLength":500}}}`),
		testTool("list", "List my repair records, the newest first (mis reparaciones).", "",
			`{"type":"object","properties":{"status":{"type":"string","description":"Only records in this state.","enum":["waiting","in repair","ready","closed"]},"limit":{"type":"integer","description":"How many at most; 10 when left out.","minimum":1,"maximum":50}}}`),
		testTool("lookup", "Look up a repair record by its id: what is being done and what was noted.", "",
			`{"type":"object","required":["id"],"properties":{"id":{"type":"string","description":"The record's id, such as A-1042."}}}`),
		testTool("search", "Search the titles and notes of repair records for words.", "",
			`{"type":"object","required":["text"],"properties":{"text":{"type":"string","description":"The words to look for, such as: loose blade."}}}`),
	}
}

func foodTools() []chat.Tool {
	const order = `"order":{"type":"string","description":"The order's number, such as D-550."}`
	return []chat.Tool{
		testTool("menu", "Show the menu of the restaurant.", "The customer asks what there is to eat.", ""),
		testTool("order_pizza", "Order a pizza for delivery.", "The customer wants to order a pizza.",
			`{"type":"object","properties":{"pizza":{"type":"string","description":"The pizza's name."},"size":{"type":"string","enum":["small","large"]},"quantity":{"type":"integer","minimum":1}},"required":["pizza"]}`),
		testTool("track_delivery", "Track a delivery.", "The customer asks where their delivery is.",
			`{"type":"object","properties":{`+order+`},"required":["order"]}`),
		testTool("cancel_order", "Cancel an order that has not left.", "The customer wants to cancel an order.",
			`{"type":"object","properties":{`+order+`},"required":["order"]}`),
		testTool("rate_order", "Rate an order that was delivered.", "The customer wants to rate an order.",
			`{"type":"object","properties":{`+order+`,"stars":{"type":"integer","minimum":1,"maximum":5}},"required":["order","stars"]}`),
		testTool("pay_bill", "Pay a bill.", "The customer wants to pay.",
			`{"type":"object","properties":{"bill":{"type":"string","description":"The bill's number, such as B-12."}},"required":["bill"]}`),
	}
}

func bancoTools() []chat.Tool {
	return []chat.Tool{
		testTool("ver_saldo", "Muestra el saldo de las cuentas.", "El cliente pregunta cuánto dinero tiene.", ""),
		testTool("transferir_dinero", "Transfiere dinero a otra cuenta.", "El cliente quiere transferir dinero.",
			`{"type":"object","properties":{"monto":{"type":"number","description":"El monto en pesos."},"cuenta":{"type":"string","pattern":"^[0-9]{8}$","description":"La cuenta de destino."}},"required":["monto","cuenta"]}`),
		testTool("bloquear_tarjeta", "Bloquea una tarjeta.", "El cliente quiere bloquear una tarjeta (block a card).",
			`{"type":"object","properties":{"ultimos":{"type":"string","pattern":"^[0-9]{4}$","description":"Los últimos cuatro dígitos."}},"required":["ultimos"]}`),
		testTool("pagar_servicio", "Paga la cuenta de un servicio.", "El cliente quiere pagar una cuenta de luz, agua o gas.",
			`{"type":"object","properties":{"servicio":{"type":"string","enum":["luz","agua","gas"]}},"required":["servicio"]}`),
	}
}
