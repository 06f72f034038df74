// SPDX-License-Identifier: Apache-2.0
// Otlp-receiver decodes traces as the OpenTelemetry Collector does, by its own library.
//
//	otlp-receiver ADDRESS FILE   appends a line of JSON to FILE for each span of a POST request
//
// Requests that the library refuses get the status 400.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

type span struct {
	Name       string
	Trace      string
	ID         string
	Parent     string
	Status     string
	Begin      int64 // nanoseconds
	End        int64
	Attributes map[string]any
	Resource   map[string]any
}

func spansOf(traces ptrace.Traces) []span {
	var found []span
	for _, resource := range traces.ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, one := range scope.Spans().All() {
				found = append(found, span{
					Name: one.Name(), Trace: one.TraceID().String(), ID: one.SpanID().String(),
					Parent: one.ParentSpanID().String(), Status: one.Status().Code().String(),
					Begin: int64(one.StartTimestamp()), End: int64(one.EndTimestamp()),
					Attributes: one.Attributes().AsRaw(), Resource: resource.Resource().Attributes().AsRaw(),
				})
			}
		}
	}
	return found
}

type receiver struct {
	mutex sync.Mutex
	file  *os.File
}

func (r *receiver) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	if request.URL.Path != "/v1/traces" || request.Header.Get("Content-Type") != "application/json" {
		http.Error(writer, "not OTLP in JSON", http.StatusUnsupportedMediaType)
		return
	}
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(body)
	if err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	encoder := json.NewEncoder(r.file)
	for _, one := range spansOf(traces) {
		if err := encoder.Encode(one); err != nil {
			http.Error(writer, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	fmt.Fprintln(writer, "{}")
}

func run(arguments []string) error {
	if len(arguments) != 2 {
		return fmt.Errorf("usage: otlp-receiver ADDRESS FILE")
	}
	file, err := os.OpenFile(arguments[1], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return http.ListenAndServe(arguments[0], &receiver{file: file})
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "otlp-receiver:", err)
		os.Exit(1)
	}
}
