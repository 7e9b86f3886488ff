// The types of a gRPC service, as the server itself tells them (server reflection).

package load

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/tracetax/tracetax/internal/excerpt"
)

// reflectionMethods are tried in this order; their messages are the same.
var reflectionMethods = []string{
	reflection.ServerReflection_ServerReflectionInfo_FullMethodName,
	"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
}

// Reflect asks the server of r for the types of its service, and returns them as
// the descriptor set that Request.Schema holds.
func Reflect(ctx context.Context, r Request) ([]byte, error) {
	secure := insecure.NewCredentials()
	if r.TLS != nil {
		config, err := r.TLS.config(r.Address, true)
		if err != nil {
			return nil, err
		}
		secure = credentials.NewTLS(config)
	}
	conn, err := grpc.NewClient("passthrough:///"+r.Address, grpc.WithTransportCredentials(secure))
	if err != nil {
		return nil, fmt.Errorf("asking %s for its types: %w", r.Address, err)
	}
	// Nothing is under way any more: closing cannot lose anything.
	defer conn.Close()
	service, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	for _, method := range reflectionMethods {
		a := asker{found: map[string]*descriptorpb.FileDescriptorProto{}}
		err = a.ask(ctx, conn, method, service)
		if err == nil {
			return proto.Marshal(a.set())
		}
		if status.Code(err) != codes.Unimplemented {
			return nil, fmt.Errorf("asking %s for the types of %s: %w", r.Address, service, err)
		}
	}
	return nil, fmt.Errorf("%s does not tell its types (no server reflection): give --protoset FILE, from protoc --descriptor_set_out=FILE --include_imports", r.Address)
}

// asker collects the files that a service's types are in.
type asker struct {
	stream grpc.ClientStream
	found  map[string]*descriptorpb.FileDescriptorProto // by name
	order  []string
}

func (a *asker) ask(ctx context.Context, conn *grpc.ClientConn, method, service string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var err error
	a.stream, err = conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		return err
	}
	err = a.files(&reflection.ServerReflectionRequest{
		MessageRequest: &reflection.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: service},
	})
	for i := 0; err == nil && i < len(a.order); i++ {
		for _, name := range a.found[a.order[i]].GetDependency() {
			if a.found[name] != nil || err != nil {
				continue
			}
			err = a.files(&reflection.ServerReflectionRequest{
				MessageRequest: &reflection.ServerReflectionRequest_FileByFilename{FileByFilename: name},
			})
		}
	}
	return err
}

// files asks for one thing and keeps the files of the answer.
func (a *asker) files(request *reflection.ServerReflectionRequest) error {
	if err := a.stream.SendMsg(request); err != nil {
		return a.ended(err)
	}
	var answer reflection.ServerReflectionResponse
	if err := a.stream.RecvMsg(&answer); err != nil {
		return err
	}
	if wrong := answer.GetErrorResponse(); wrong != nil {
		return fmt.Errorf("the server answers: %s", excerpt.Line(wrong.GetErrorMessage()))
	}
	for _, b := range answer.GetFileDescriptorResponse().GetFileDescriptorProto() {
		file := &descriptorpb.FileDescriptorProto{}
		if err := proto.Unmarshal(b, file); err != nil {
			return fmt.Errorf("reading its answer: %w", err)
		}
		if a.found[file.GetName()] == nil {
			a.found[file.GetName()] = file
			a.order = append(a.order, file.GetName())
		}
	}
	return nil
}

// ended is why the stream takes no more: what the server said of it.
func (a *asker) ended(err error) error {
	if why := a.stream.RecvMsg(&reflection.ServerReflectionResponse{}); why != nil {
		return why
	}
	return err
}

func (a *asker) set() *descriptorpb.FileDescriptorSet {
	set := &descriptorpb.FileDescriptorSet{}
	for _, name := range a.order {
		set.File = append(set.File, a.found[name])
	}
	return set
}
