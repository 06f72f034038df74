module slipway.test/components/echo

go 1.21
