module slipway.test/components/gocsr

// As the signer's: releases of Go differ in what they make of a request.
go 1.26.0
