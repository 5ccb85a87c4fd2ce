package demo

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A slot is a time of the day at which products can be fetched.
type slot struct {
	Slot string `json:"slot"`
	From string `json:"from"`
	To   string `json:"to"`
}

// A pickup is a slot of one day.
type pickup struct{ date, slot string }

type reservation struct {
	Code      string `json:"code"`
	Date      string `json:"date"`
	Slot      string `json:"slot"`
	HoldUntil string `json:"hold_until"`
	Items     []line `json:"items"`
	Total     amount `json:"total"`

	phone string // digits only
}

const (
	firstCode   = 1000 // the code before R-1001
	maxItems    = 10   // products of one reservation
	maxQuantity = 20   // of one product
	maxHold     = 7    // days
)

// openOn returns the slots of a day; date must be one.
func openOn(date string) []slot {
	if day, err := time.Parse(dateForm, date); err != nil || day.Weekday() == time.Sunday {
		return nil
	}
	return slots()
}

// listSlots answers GET /pickup-slots?date=.
func (s *shop) listSlots(r *http.Request) answer {
	date, no, ok := one(r, "date")
	if !ok {
		return no
	}
	if !isDate(date) {
		return fail(http.StatusBadRequest, "invalid_date", "%q must be a day such as 2026-12-04.", "date")
	}
	type freeSlot struct {
		slot
		Free int `json:"free"`
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	free := []freeSlot{}
	for _, sl := range openOn(date) {
		free = append(free, freeSlot{sl, slotRoom - s.pickups[pickup{date, sl.Slot}]})
	}
	return answer{status: http.StatusOK, body: struct {
		Date  string     `json:"date"`
		Slots []freeSlot `json:"slots"`
	}{date, free}}
}

// A booking is the body of POST /reservations.
type booking struct {
	Items []struct {
		Product  string `json:"product"`
		Quantity int    `json:"quantity"`
		GiftWrap bool   `json:"gift_wrap"`
	} `json:"items"`
	Date    string `json:"date"`
	Slot    string `json:"slot"`
	Contact struct {
		Name  string `json:"name"`
		Phone string `json:"phone"`
		Email string `json:"email"`
	} `json:"contact"`
	HoldDays      int   `json:"hold_days"`
	SendReminders bool  `json:"send_reminders"`
	ReminderHours []int `json:"reminder_hours"`
}

// check returns the first thing in the booking that makes no sense.
func (b *booking) check() (no answer, ok bool) {
	if len(b.Items) == 0 || len(b.Items) > maxItems {
		return invalid("%q must be a list of 1 to %d products.", "items", maxItems), false
	}
	for i, item := range b.Items {
		if strings.TrimSpace(item.Product) == "" || !isText(item.Product) {
			return invalid(`"items.%d.product" must be a product's name.`, i), false
		}
		if item.Quantity < 1 || item.Quantity > maxQuantity {
			return invalid(`"items.%d.quantity" must be a number from 1 to %d.`, i, maxQuantity), false
		}
	}
	if !isDate(b.Date) {
		return invalid("%q must be a day such as 2026-12-04.", "date"), false
	}
	if digits(b.Contact.Phone) == "" {
		return invalid("%q must be a phone number.", "contact.phone"), false
	}
	if b.Contact.Email != "" && !isEmail(b.Contact.Email) {
		return invalid("%q must be an email address.", "contact.email"), false
	}
	if !isText(b.Contact.Name) {
		return invalid("%q must be text of at most %d characters.", "contact.name", maxText), false
	}
	if b.HoldDays < 0 || b.HoldDays > maxHold {
		return invalid("%q must be a number from 0 to %d.", "hold_days", maxHold), false
	}
	for i, h := range b.ReminderHours {
		if h < 1 || h > 72 {
			return invalid(`"reminder_hours.%d" must be a number from 1 to 72.`, i), false
		}
	}
	return answer{}, true
}

// addReservation answers POST /reservations: all of it is reserved or nothing.
func (s *shop) addReservation(r *http.Request) answer {
	var in booking
	if no, ok := read(r, &in); !ok {
		return no
	}
	if no, ok := in.check(); !ok {
		return no
	}
	open := openOn(in.Date)
	if open == nil {
		return fail(http.StatusUnprocessableEntity, "closed", "The shop is closed on %s, a Sunday.", in.Date)
	}
	at, ok := slotNamed(open, in.Slot)
	if !ok {
		return invalid("%q must be morning or afternoon.", "slot")
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	lines := make([]line, 0, len(in.Items))
	wanted := make(map[*product]int, len(in.Items))
	for _, item := range in.Items {
		p, no, ok := s.pick(item.Product)
		if !ok {
			return no
		}
		wanted[p] += item.Quantity
		if p.Stock == 0 {
			return fail(http.StatusConflict, "out_of_stock", "%s is sold out.", p.Name)
		}
		if p.Stock < wanted[p] {
			return fail(http.StatusConflict, "out_of_stock", "Only %d %s left, and %d were asked for.", p.Stock, p.Name, wanted[p])
		}
		lines = append(lines, line{p.Name, item.Quantity, p.Price, item.GiftWrap})
	}
	when := pickup{in.Date, in.Slot}
	if s.pickups[when] >= slotRoom {
		return fail(http.StatusConflict, "slot_full", "The %s of %s is full.", in.Slot, in.Date)
	}
	day, _ := time.Parse(dateForm, in.Date)
	for p, n := range wanted {
		p.Stock -= n
	}
	s.pickups[when]++
	s.lastCode++
	res := &reservation{
		Code:      fmt.Sprintf("R-%d", s.lastCode),
		Date:      in.Date,
		Slot:      in.Slot,
		HoldUntil: day.AddDate(0, 0, in.HoldDays).Format(dateForm),
		Items:     lines,
		Total:     total(lines),
		phone:     digits(in.Contact.Phone),
	}
	s.reservations = append(s.reservations, res)
	return answer{
		status:   http.StatusCreated,
		location: "/reservations/" + res.Code,
		body: struct {
			Message     string      `json:"message"`
			Reservation reservation `json:"reservation"`
		}{
			fmt.Sprintf("Reserved %s for %s, between %s and %s. The code is %s.", list(lines), res.Date, at.From, at.To, res.Code),
			*res,
		},
	}
}

func slotNamed(slots []slot, name string) (slot, bool) {
	for _, s := range slots {
		if s.Slot == name {
			return s, true
		}
	}
	return slot{}, false
}

// list names products for a sentence.
func list(lines []line) string {
	parts := make([]string, len(lines))
	for i, l := range lines {
		parts[i] = fmt.Sprintf("%d %s", l.Quantity, l.Name)
	}
	return strings.Join(parts, ", ")
}

// cancelReservation answers DELETE /reservations/{code}?phone=. To whoever has
// another phone number the reservation does not exist.
func (s *shop) cancelReservation(r *http.Request) answer {
	phone, no, ok := one(r, "phone")
	if !ok {
		return no
	}
	code := strings.ToUpper(r.PathValue("code"))
	if !isNumbered(code, "R-") {
		return fail(http.StatusBadRequest, "invalid_code", "A reservation's code looks like R-1001.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, res := range s.reservations {
		if res.Code != code || res.phone != digits(phone) {
			continue
		}
		for _, l := range res.Items {
			for _, p := range s.products {
				if p.Name == l.Name {
					p.Stock += l.Quantity
				}
			}
		}
		when := pickup{res.Date, res.Slot}
		if s.pickups[when]--; s.pickups[when] == 0 {
			delete(s.pickups, when)
		}
		s.reservations = slices.Delete(s.reservations, i, i+1)
		return answer{status: http.StatusNoContent}
	}
	return fail(http.StatusNotFound, "reservation_not_found", "There is no reservation %s for this phone number.", code)
}
