// SPDX-License-Identifier: Apache-2.0

// Package iptables has the names that kubelet and kube-proxy of v1.38 use of sigs.k8s.io/iptables-wrappers, a module
// that is not published everywhere. It runs the installed iptables, whichever mode that has.
package iptables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/set"
)

// Protocol is a family of addresses.
type Protocol string

// Table is one of the kernel's tables.
type Table string

// Chain is a chain of a table.
type Chain string

// RulePosition says where a new rule goes.
type RulePosition string

// Mode says how the backend (legacy, nft) is chosen. Both take the installed one here.
type Mode int

const (
	ProtocolIPv4 Protocol = "IPv4"
	ProtocolIPv6 Protocol = "IPv6"

	TableNAT    Table = "nat"
	TableFilter Table = "filter"
	TableMangle Table = "mangle"

	ChainPostrouting Chain = "POSTROUTING"
	ChainPrerouting  Chain = "PREROUTING"
	ChainOutput      Chain = "OUTPUT"
	ChainInput       Chain = "INPUT"
	ChainForward     Chain = "FORWARD"

	Prepend RulePosition = "-I"
	Append  RulePosition = "-A"

	UseInstalledMode Mode = iota
	DetectHostMode
)

// Interface changes the rules of one family.
type Interface interface {
	EnsureChain(ctx context.Context, table Table, chain Chain) (bool, error)
	FlushChain(ctx context.Context, table Table, chain Chain) error
	DeleteChain(ctx context.Context, table Table, chain Chain) error
	ChainExists(ctx context.Context, table Table, chain Chain) (bool, error)
	EnsureRule(ctx context.Context, position RulePosition, table Table, chain Chain, args ...string) (bool, error)
	DeleteRule(ctx context.Context, table Table, chain Chain, args ...string) error
	IsIPv6() bool
	Protocol() Protocol
	SaveInto(ctx context.Context, table Table, buffer *bytes.Buffer) error
	Restore(ctx context.Context, data []byte) error
	Monitor(ctx context.Context, canary Chain, tables []Table, reload func(), interval time.Duration)
	Present(ctx context.Context) error
}

// One change at a time: the programs wait for the kernel's lock, but not in order.
var mutex sync.Mutex

type runner struct {
	protocol Protocol
	program  string
}

// New returns the interface of a family, or the reason why its program does not work.
func New(ctx context.Context, protocol Protocol, _ Mode) (Interface, error) {
	program := "iptables"
	if protocol == ProtocolIPv6 {
		program = "ip6tables"
	}
	r := &runner{protocol: protocol, program: program}
	return r, r.Present(ctx)
}

// NewBestEffort returns the interfaces of the families that work.
func NewBestEffort(ctx context.Context, mode Mode) map[Protocol]Interface {
	found := map[Protocol]Interface{}
	for _, family := range []Protocol{ProtocolIPv4, ProtocolIPv6} {
		if r, err := New(ctx, family, mode); err == nil {
			found[family] = r
		}
	}
	return found
}

func (r *runner) IsIPv6() bool       { return r.protocol == ProtocolIPv6 }
func (r *runner) Protocol() Protocol { return r.protocol }

// run runs a program of the family with input, and returns its output.
func (r *runner) run(ctx context.Context, suffix string, input []byte, args ...string) ([]byte, error) {
	mutex.Lock()
	defer mutex.Unlock()
	command := exec.CommandContext(ctx, r.program+suffix, args...)
	command.Stdin = bytes.NewReader(input)
	var out, problem bytes.Buffer
	command.Stdout, command.Stderr = &out, &problem
	if err := command.Run(); err != nil {
		return out.Bytes(), &failure{err, problem.String(), input}
	}
	return out.Bytes(), nil
}

func (r *runner) do(ctx context.Context, verb string, table Table, chain Chain, args ...string) error {
	_, err := r.run(ctx, "", nil, append([]string{"-w", "5", "-t", string(table), verb, string(chain)}, args...)...)
	return err
}

func (r *runner) Present(ctx context.Context) error {
	return r.do(ctx, "-S", TableNAT, ChainPostrouting)
}

func (r *runner) ChainExists(ctx context.Context, table Table, chain Chain) (bool, error) {
	err := r.do(ctx, "-S", table, chain)
	if IsNotFoundError(err) {
		return false, nil
	}
	return err == nil, err
}

func (r *runner) EnsureChain(ctx context.Context, table Table, chain Chain) (bool, error) {
	if exists, err := r.ChainExists(ctx, table, chain); exists || err != nil {
		return exists, err
	}
	return false, r.do(ctx, "-N", table, chain)
}

func (r *runner) FlushChain(ctx context.Context, table Table, chain Chain) error {
	return r.do(ctx, "-F", table, chain)
}

func (r *runner) DeleteChain(ctx context.Context, table Table, chain Chain) error {
	return r.do(ctx, "-X", table, chain)
}

func (r *runner) EnsureRule(ctx context.Context, position RulePosition, table Table, chain Chain, args ...string) (bool, error) {
	err := r.do(ctx, "-C", table, chain, args...)
	if err == nil {
		return true, nil
	}
	if !IsNotFoundError(err) {
		return false, err
	}
	return false, r.do(ctx, string(position), table, chain, args...)
}

func (r *runner) DeleteRule(ctx context.Context, table Table, chain Chain, args ...string) error {
	if err := r.do(ctx, "-C", table, chain, args...); err != nil {
		if IsNotFoundError(err) {
			return nil
		}
		return err
	}
	return r.do(ctx, "-D", table, chain, args...)
}

func (r *runner) SaveInto(ctx context.Context, table Table, buffer *bytes.Buffer) error {
	out, err := r.run(ctx, "-save", nil, "-t", string(table))
	buffer.Write(out)
	return err
}

func (r *runner) Restore(ctx context.Context, data []byte) error {
	_, err := r.run(ctx, "-restore", data, "-w", "5", "--noflush", "--counters")
	return err
}

// Monitor creates the canary chain in the tables and calls reload when all of them have gone, until the context ends.
func (r *runner) Monitor(ctx context.Context, canary Chain, tables []Table, reload func(), interval time.Duration) {
	for ctx.Err() == nil {
		for _, table := range tables {
			_, _ = r.EnsureChain(ctx, table, canary)
		}
		for gone := false; !gone && ctx.Err() == nil; {
			select {
			case <-ctx.Done():
			case <-time.After(interval):
				gone = true
				for _, table := range tables {
					if exists, err := r.ChainExists(ctx, table, canary); exists || err != nil {
						gone = false
					}
				}
			}
		}
		if ctx.Err() == nil {
			reload()
		}
	}
}

// failure is the end of a program with an error.
type failure struct {
	err    error
	output string
	input  []byte
}

var inputLine = regexp.MustCompile(`line:? (\d+)`)

func (f *failure) Error() string { return fmt.Sprintf("%v: %s", f.err, strings.TrimSpace(f.output)) }
func (f *failure) Unwrap() error { return f.err }

// Line is the line of the input that iptables-restore names; 0 if it names none.
func (f *failure) Line() int {
	if found := inputLine.FindStringSubmatch(f.output); found != nil {
		line, _ := strconv.Atoi(found[1])
		return line
	}
	return 0
}

// ParseError is an error of iptables-restore that names a line of its input.
type ParseError interface {
	Line() int
	Error() string
}

// IsNotFoundError tells whether a table, chain or rule does not exist: exit status 1.
func IsNotFoundError(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == 1
}

// LineData is a line of input with its number, for logs.
type LineData struct {
	Line int
	Data string
}

// ExtractLines returns `count` lines on each side of a line of input.
func ExtractLines(data []byte, line, count int) []LineData {
	lines := []LineData{}
	for i, text := range strings.Split(string(data), "\n") {
		if i+1 >= line-count && i+1 <= line+count {
			lines = append(lines, LineData{i + 1, text})
		}
	}
	return lines
}

// MakeChainLine is the line of iptables-restore's input that creates or flushes a chain.
func MakeChainLine(chain Chain) string { return fmt.Sprintf(":%s - [0:0]", chain) }

// GetChainsFromTable returns the chains in the output of iptables-save.
func GetChainsFromTable(save []byte) set.Set[Chain] {
	chains := set.New[Chain]()
	for _, line := range strings.Split(string(save), "\n") {
		if name, found := strings.CutPrefix(line, ":"); found {
			chains.Insert(Chain(strings.Fields(name)[0]))
		}
	}
	return chains
}
