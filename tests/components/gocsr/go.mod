module slipway.test/components/gocsr

go 1.21
