// SPDX-License-Identifier: Apache-2.0
// Writes what Go's parsers say of odd addresses, networks, host:port texts and URLs into the tables
// beside this directory, which the tests of the library read: go run . (Go 1.26, whose url.Parse is the
// one that current Kubernetes is built with).
package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	netutils "k8s.io/utils/net"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// table writes one row for each input: the input, then its facts, tabs between them.
func table(name, columns string, inputs []string, facts func(string) []string) {
	out := "# " + strings.ReplaceAll(columns, " ", "\t") + "\n"
	seen := map[string]bool{}
	for _, input := range inputs {
		if !seen[input] {
			seen[input] = true
			out += input + "\t" + strings.Join(facts(input), "\t") + "\n"
		}
	}
	check(os.WriteFile("../"+name+".tsv", []byte(out), 0o644))
}

// product is every way to join one text of each list.
func product(lists ...[]string) []string {
	all := []string{""}
	for _, list := range lists {
		var next []string
		for _, front := range all {
			for _, back := range list {
				next = append(next, front+back)
			}
		}
		all = next
	}
	return all
}

func text(ip net.IP) string {
	if ip == nil {
		return "-"
	}
	return ip.String()
}

// kinds are letters for what an address is.
func kinds(ip net.IP) string {
	out := ""
	for _, row := range []struct {
		letter string
		is     bool
	}{
		{"4", ip.To4() != nil}, {"u", ip.IsUnspecified()}, {"l", ip.IsLoopback()}, {"m", ip.IsMulticast()},
		{"k", ip.IsLinkLocalUnicast()}, {"p", ip.IsPrivate()}, {"g", ip.IsGlobalUnicast()},
	} {
		if row.is {
			out += row.letter
		}
	}
	return out
}

func addressFacts(input string) []string {
	sloppy := netutils.ParseIPSloppy(input)
	if sloppy == nil {
		return []string{text(net.ParseIP(input)), "-", ""}
	}
	return []string{text(net.ParseIP(input)), text(sloppy), kinds(sloppy)}
}

func network(_ net.IP, read *net.IPNet, err error) string {
	if err != nil {
		return "-"
	}
	return read.String()
}

func cidrFacts(input string) []string {
	return []string{network(net.ParseCIDR(input)), network(netutils.ParseCIDRSloppy(input))}
}

func hostPortFacts(input string) []string {
	host, port, err := net.SplitHostPort(input)
	if err != nil {
		return []string{"-", "", ""}
	}
	return []string{host, port, net.JoinHostPort(host, port)}
}

func urlFacts(input string) []string {
	read, err := url.Parse(input)
	if err != nil {
		return []string{"-", "", "", "", "", ""}
	}
	user := ""
	if read.User != nil {
		user = "user"
	}
	return []string{"ok", read.Scheme, user, read.Hostname(), read.Port(), read.Path}
}

func main() {
	table("addresses", "written strict sloppy kinds", addresses(), addressFacts)
	table("cidrs", "written strict sloppy", cidrs(), cidrFacts)
	table("host_ports", "written host port joined", hostPorts(), hostPortFacts)
	table("urls", "written read scheme user host port path", urls(), urlFacts)
	fmt.Println("written")
}
