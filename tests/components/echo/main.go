// SPDX-License-Identifier: Apache-2.0
// Echo is the program inside the test Pods.
//
//	echo serve ADDRESS   answers every request with the Pod's host name
//	echo fetch URL...    prints what each URL answers; exits 1 when one does not
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

func serve(address string) error {
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	return http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, name)
	}))
}

// fetch opens a connection of its own each time, so that each call is balanced by itself.
func fetch(url string) error {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(os.Stdout, response.Body)
	return err
}

func run(arguments []string) error {
	switch {
	case len(arguments) == 2 && arguments[0] == "serve":
		return serve(arguments[1])
	case len(arguments) >= 2 && arguments[0] == "fetch":
		for _, url := range arguments[1:] {
			if err := fetch(url); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("usage: echo serve ADDRESS | echo fetch URL...")
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "echo:", err)
		os.Exit(1)
	}
}
