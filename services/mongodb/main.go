// Mongodb serves MongoDB's protocol at an address, with its data in a folder, until it is told to end.
//
//	mongodb ADDRESS FOLDER
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	if err := serve(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mongodb:", err)
		os.Exit(1)
	}
}

func serve(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("give it an address and a folder")
	}
	address, folder := args[0], args[1]
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	server, err := ferretdb.New(&ferretdb.Config{
		Listener: ferretdb.ListenerConfig{TCP: address}, Handler: "sqlite", SQLiteURL: "file:" + folder + "/",
	})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	return server.Run(ctx)
}
