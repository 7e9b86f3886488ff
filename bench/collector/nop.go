package main

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// nopFactory makes the cheapest exporter there can be: what is measured is then the
// Collector's receiving alone.
func nopFactory() exporter.Factory {
	return exporter.NewFactory(component.MustNewType("nop"),
		func() component.Config { return &struct{}{} },
		exporter.WithTraces(newNop, component.StabilityLevelStable))
}

type nop struct {
	component.StartFunc
	component.ShutdownFunc
	consumer.ConsumeTracesFunc
}

func newNop(context.Context, exporter.Settings, component.Config) (exporter.Traces, error) {
	return nop{ConsumeTracesFunc: func(context.Context, ptrace.Traces) error { return nil }}, nil
}

// Capabilities says that the exporter leaves the spans as they are.
func (nop) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }
