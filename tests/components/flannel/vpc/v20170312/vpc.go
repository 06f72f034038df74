// SPDX-License-Identifier: Apache-2.0

// Package v20170312 stands in for a module that the Go module proxy does not serve. flannel's backend for one cloud
// compiles with it, and every call fails.
package v20170312

import "errors"

var errAbsent = errors.New("this flanneld was built without the library of that cloud")

type Filter struct {
	Name   *string
	Values []*string
}

type Route struct {
	DestinationCidrBlock, GatewayId, GatewayType, RouteType *string
	RouteId                                                 *uint64
	Enabled                                                 *bool
}

type RouteTable struct {
	RouteTableId *string
	RouteSet     []*Route
}

type DescribeRouteTablesRequest struct{ Filters []*Filter }

type DescribeRouteTablesResponse struct {
	Response *struct{ RouteTableSet []*RouteTable }
}

type RoutesRequest struct {
	RouteTableId *string
	Routes       []*Route
}

type Client struct{}

func NewClientWithSecretId(_, _, _ string) (*Client, error) { return &Client{}, nil }

func NewDescribeRouteTablesRequest() *DescribeRouteTablesRequest { return &DescribeRouteTablesRequest{} }

func NewCreateRoutesRequest() *RoutesRequest { return &RoutesRequest{} }

func NewDeleteRoutesRequest() *RoutesRequest { return &RoutesRequest{} }

func (*Client) DescribeRouteTables(*DescribeRouteTablesRequest) (*DescribeRouteTablesResponse, error) {
	return nil, errAbsent
}

func (*Client) CreateRoutes(*RoutesRequest) (any, error) { return nil, errAbsent }

func (*Client) DeleteRoutes(*RoutesRequest) (any, error) { return nil, errAbsent }
