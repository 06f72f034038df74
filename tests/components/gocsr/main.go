// SPDX-License-Identifier: Apache-2.0
// Gocsr tells how Go, and with it the API server and the signer, reads certificate signing requests
// and other PEM texts.
//
//	gocsr read         reads frames with texts of requests, answers each with a frame of frames
//	gocsr blocks       the same for any PEM texts
//	gocsr make COUNT   writes frames with PEM texts of requests as kubelets make them
//
// A frame is four bytes of length, most significant first, and as many bytes. The first frame of an
// answer to "read" is "none" (no block), "other" (its label is another), "bad" or "read"; behind it
// come the block's bytes and, for "read", what stands in the request: "CN=…", "O=…", "DNS=…", each kind
// in the order of the request, and "SIGNED" when its signature holds.
// An answer to "blocks" has why a certificate cannot be read, or nothing; the public half (PKIX) of the
// first private key that can be read; and for each block its label, "headers" or nothing, and its bytes.
package main

import (
	"bufio"
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/binary"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
)

const label = "CERTIFICATE REQUEST"

func readFrame(in io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(in, size[:]); err != nil {
		return nil, err
	}
	text := make([]byte, binary.BigEndian.Uint32(size[:]))
	_, err := io.ReadFull(in, text)
	return text, err
}

func appendFrame(out []byte, text []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(text)))
	return append(out, text...)
}

// describe is the fields of a request.
func describe(request *x509.CertificateRequest) []string {
	version := "VERSION=0"
	if request.Version != 0 {
		version = "VERSION=other"
	}
	fields := []string{version, "CN=" + request.Subject.CommonName}
	add := func(kind string, values []string) {
		for _, value := range values {
			fields = append(fields, kind+"="+value)
		}
	}
	add("O", request.Subject.Organization)
	for _, attribute := range request.Subject.Names {
		if !attribute.Type.Equal(asn1.ObjectIdentifier{2, 5, 4, 3}) &&
			!attribute.Type.Equal(asn1.ObjectIdentifier{2, 5, 4, 10}) {
			fields = append(fields, "ATTRIBUTE="+attribute.Type.String())
		}
	}
	add("DNS", request.DNSNames)
	add("MAIL", request.EmailAddresses)
	for range request.URIs {
		fields = append(fields, "URI")
	}
	for _, ip := range request.IPAddresses {
		fields = append(fields, "IP="+hex.EncodeToString(ip.To16()))
	}
	for _, extension := range request.Extensions {
		if !extension.Id.Equal(asn1.ObjectIdentifier{2, 5, 29, 17}) {
			fields = append(fields, "EXTENSION="+extension.Id.String())
		}
	}
	if request.CheckSignature() == nil {
		fields = append(fields, "SIGNED")
	}
	return fields
}

// publicHalf is nothing where a block is not a private key as its label says.
func publicHalf(block *pem.Block) []byte {
	var key any
	var err error
	switch block.Type {
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	case "PRIVATE KEY":
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	default:
		return nil
	}
	signer, ok := key.(crypto.Signer)
	if err != nil || !ok {
		return nil
	}
	half, err := x509.MarshalPKIXPublicKey(signer.Public())
	if err != nil {
		return nil
	}
	return half
}

func blocks(text []byte) (string, []byte, []string) {
	var half []byte
	var fields []string
	flaw := ""
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			return flaw, half, fields
		}
		headers := ""
		if len(block.Headers) > 0 {
			headers = "headers"
		} else if block.Type == "CERTIFICATE" {
			if _, err := x509.ParseCertificate(block.Bytes); err != nil {
				flaw = err.Error()
			}
		}
		fields = append(fields, block.Type, headers, string(block.Bytes))
		if half == nil {
			half = publicHalf(block)
		}
		text = rest
	}
}

func read(text []byte) (string, []byte, []string) {
	block, _ := pem.Decode(text)
	if block == nil {
		return "none", nil, nil
	}
	if block.Type != label || len(block.Headers) > 0 {
		return "other", block.Bytes, nil
	}
	request, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return "bad", block.Bytes, []string{err.Error()}
	}
	return "read", block.Bytes, describe(request)
}

// answerAll answers every text that comes with what `read` makes of it.
func answerAll(read func(text []byte) (kind string, block []byte, fields []string)) error {
	in := bufio.NewReader(os.Stdin)
	for {
		text, err := readFrame(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		kind, block, fields := read(text)
		answer := appendFrame(appendFrame(nil, []byte(kind)), block)
		for _, field := range fields {
			answer = appendFrame(answer, []byte(field))
		}
		if _, err := os.Stdout.Write(appendFrame(nil, answer)); err != nil {
			return err
		}
	}
}

func newKey(number int) (crypto.Signer, error) {
	switch number % 8 {
	case 0:
		return rsa.GenerateKey(rand.Reader, 2048)
	case 1:
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return key, err
	case 2:
		return ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	}
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

// template is what a kubelet fills in: a client's request has a subject only, a server's its names.
func template(number int) *x509.CertificateRequest {
	node := fmt.Sprintf("node-%d", number)
	request := &x509.CertificateRequest{
		Subject: pkix.Name{CommonName: "system:node:" + node, Organization: []string{"system:nodes"}}}
	if number%2 == 1 {
		request.DNSNames = []string{node, node + ".example.com"}
		request.IPAddresses = []net.IP{net.IPv4(10, 0, byte(number>>8), byte(number)), net.ParseIP("fd00::1")}
	}
	return request
}

func makeAll(count int) error {
	var out bytes.Buffer
	for number := 0; number < count; number++ {
		key, err := newKey(number / 2)
		if err != nil {
			return err
		}
		der, err := x509.CreateCertificateRequest(rand.Reader, template(number), key)
		if err != nil {
			return err
		}
		out.Write(appendFrame(nil, pem.EncodeToMemory(&pem.Block{Type: label, Bytes: der})))
	}
	_, err := out.WriteTo(os.Stdout)
	return err
}

func run(arguments []string) error {
	if len(arguments) == 1 && arguments[0] == "read" {
		return answerAll(read)
	}
	if len(arguments) == 1 && arguments[0] == "blocks" {
		return answerAll(blocks)
	}
	if len(arguments) == 2 && arguments[0] == "make" {
		count, err := strconv.Atoi(arguments[1])
		if err != nil {
			return err
		}
		return makeAll(count)
	}
	return errors.New("usage: gocsr read | gocsr blocks | gocsr make COUNT")
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gocsr:", err)
		os.Exit(1)
	}
}
