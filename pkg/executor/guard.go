package executor

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"syscall"
)

// An addressRule says why an address is not dialled; "" means that it may be.
type addressRule func(netip.Addr) string

// A blockedError is a refusal to dial.
type blockedError struct {
	addr netip.Addr
	why  string
}

func (e *blockedError) Error() string { return fmt.Sprintf("%s is %s", e.addr, e.why) }

// control is called with the address that is about to be dialled, after names
// were resolved: an answer of the DNS cannot slip past it.
func (refuse addressRule) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("executor: %q is no address", address)
	}
	return refuse.check(target.Addr())
}

// checkHost refuses a host that is a blocked address itself, which a proxy
// would dial for us.
func (refuse addressRule) checkHost(host string) error {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return nil // a name: decided when it is dialled
	}
	return refuse.check(addr)
}

func (refuse addressRule) check(addr netip.Addr) error {
	addr = addr.WithZone("")
	for _, a := range append(embedded(addr), addr.Unmap()) {
		if why := refuse(a); why != "" {
			return &blockedError{addr.Unmap(), why}
		}
	}
	return nil
}

// refuseAlways holds for every call.
func refuseAlways(a netip.Addr) string {
	switch {
	case slices.Contains(metadataAddresses(), a):
		return "a cloud-metadata address"
	case a.IsLinkLocalUnicast(), a.IsLinkLocalMulticast():
		return "a link-local address"
	}
	return ""
}

// refuseInternal holds for hosts that the model, the contact or the principal
// take part in.
func refuseInternal(a netip.Addr) string {
	if why := refuseAlways(a); why != "" {
		return why
	}
	switch {
	case a.IsLoopback():
		return "a loopback address"
	case a.IsUnspecified(), a.Is4() && a.As4()[0] == 0:
		return "an unspecified address"
	case a.Is6() && a.IsPrivate(), siteLocal().Contains(a):
		return "a unique-local address"
	case a.IsPrivate():
		return "a private address"
	case carrierNAT().Contains(a):
		return "a carrier-grade-NAT address"
	case a.IsMulticast():
		return "a multicast address"
	}
	return ""
}

// metadataAddresses lists those that are not link-local: AWS and Google over
// IPv6, Alibaba, Oracle, Azure.
func metadataAddresses() []netip.Addr {
	return []netip.Addr{
		netip.AddrFrom16([16]byte{0: 0xFD, 2: 0x0E, 3: 0xC2, 14: 0x02, 15: 0x54}),
		netip.AddrFrom16([16]byte{0: 0xFD, 1: 0x20, 3: 0xCE, 14: 0x02, 15: 0x54}),
		netip.AddrFrom4([4]byte{100, 100, 100, 200}),
		netip.AddrFrom4([4]byte{192, 0, 0, 192}),
		netip.AddrFrom4([4]byte{168, 63, 129, 16}),
	}
}

func carrierNAT() netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64}), 10)
}

func siteLocal() netip.Prefix { // deprecated, RFC 3879
	return netip.PrefixFrom(netip.AddrFrom16([16]byte{0: 0xFE, 1: 0xC0}), 10)
}

// embedded returns the IPv4 addresses that an IPv6 address leads to on networks
// that translate or tunnel. IPv4-mapped ones are left to Unmap.
func embedded(a netip.Addr) []netip.Addr {
	if !a.Is6() || a.Is4In6() {
		return nil
	}
	b := a.As16()
	at := func(i int) netip.Addr { return netip.AddrFrom4([4]byte(b[i : i+4])) }
	switch {
	case [12]byte(b[:12]) == [12]byte{} && b[12] != 0: // IPv4-compatible, RFC 4291 section 2.5.5.1
		return []netip.Addr{at(12)}
	case [12]byte(b[:12]) == [12]byte{1: 0x64, 2: 0xFF, 3: 0x9B}: // NAT64, RFC 6052
		return []netip.Addr{at(12)}
	case [6]byte(b[:6]) == [6]byte{1: 0x64, 2: 0xFF, 3: 0x9B, 5: 0x01}: // local NAT64, RFC 8215, any prefix length of RFC 6052 from 48
		return slices.DeleteFunc([]netip.Addr{
			at(12),
			netip.AddrFrom4([4]byte{b[6], b[7], b[9], b[10]}),
			netip.AddrFrom4([4]byte{b[7], b[9], b[10], b[11]}),
			at(9),
		}, func(a netip.Addr) bool { return a.As4()[0] == 0 }) // a length that does not apply
	case b[0] == 0x20 && b[1] == 0x02: // 6to4, RFC 3056
		return []netip.Addr{at(2)}
	case [4]byte(b[:4]) == [4]byte{0x20, 0x01}: // Teredo, RFC 4380: the client's address is inverted
		return []netip.Addr{netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]})}
	case b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5E && b[11] == 0xFE: // ISATAP, RFC 5214
		return []netip.Addr{at(12)}
	}
	return nil
}
