// How real stores are called: Redis, memcached and MongoDB, by the clients that most programs in Go have.

package main

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
	"github.com/redis/go-redis/v9"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// mostConnections of a client to one store.
const mostConnections = 512

// dialAgain is how long after a store, or the proxy before it, did not accept.
const dialAgain = 20 * time.Millisecond

// store is a client of one process of a store.
type store interface {
	// seed puts there what a method will read: so many bytes.
	seed(ctx context.Context, method string, answer int) error
	call(ctx context.Context, method string, request int) error
	close() error
}

// dialing makes a connection to a store.
type dialing func(ctx context.Context, network, address string) (net.Conn, error)

// kinds are how a client of each kind of store is made.
var kinds = map[string]func(address string, dial dialing, answers map[string]int) (store, error){
	"redis": newRedis, "memcached": newMemcached, "mongodb": newMongoDB,
}

// stores call the processes of a store in turn, once all that they will read is there.
type stores struct {
	all    []store
	next   atomic.Uint32
	seeded chan struct{}
	missed atomic.Pointer[error] // why it is not, so far
	stop   context.CancelFunc
}

// newStores makes the clients of a store. What they will read is put there meanwhile: the proxy that calls leave through
// may start when this process is ready.
func newStores(to peer, dial dialing) (client, error) {
	ctx, stop := context.WithCancel(context.Background())
	out := &stores{seeded: make(chan struct{}), stop: stop}
	for _, address := range to.Addresses {
		one, err := kinds[to.Protocol](address, dial, to.Answers)
		if err != nil {
			out.close()
			return nil, err
		}
		out.all = append(out.all, one)
	}
	go out.seed(ctx, to, dial)
	return out, nil
}

// seed puts into each process what will be read, however often that takes.
func (s *stores) seed(ctx context.Context, to peer, dial dialing) {
	for i, one := range s.all {
		for {
			err := seedOne(ctx, one, to.Addresses[i], to.Answers, dial)
			if err == nil {
				break
			}
			s.missed.Store(&err)
			select {
			case <-ctx.Done():
				return
			case <-time.After(dialAgain):
			}
		}
	}
	close(s.seeded)
}

func seedOne(ctx context.Context, one store, address string, answers map[string]int, dial dialing) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	conn, err := dial(ctx, "tcp4", address) // the clients log that nobody accepts, or wait long
	if err != nil {
		return err
	}
	if err := conn.Close(); err != nil {
		return err
	}
	for method, answer := range answers {
		if err := one.seed(ctx, method, answer); err != nil {
			return fmt.Errorf("putting there what %s reads: %w", method, err)
		}
	}
	return nil
}

func (s *stores) call(ctx context.Context, method string, size int) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	select {
	case <-s.seeded:
	case <-ctx.Done():
		if why := s.missed.Load(); why != nil {
			return *why
		}
		return ctx.Err()
	}
	return s.all[int(s.next.Add(1))%len(s.all)].call(ctx, method, size)
}

func (s *stores) close() {
	s.stop()
	for _, one := range s.all {
		complain(one.close())
	}
}

// errUnknown is of a method that a store does not have; the topology was checked for them.
func errUnknown(method string) error { return fmt.Errorf("the store has no method %q", method) }

// Redis. What is written has other keys than what is read, which so stays as it was seeded.

const (
	bytesOfMember = 8  // of a sorted set that is read: an id
	bytesOfEntry  = 30 // of a request that adds to one: a score and an id, as Redis' protocol writes them
)

type redisStore struct {
	*redis.Client
	members map[string]int64 // by method that reads a sorted set: how many
}

func newRedis(address string, dial dialing, answers map[string]int) (store, error) {
	s := redisStore{redis.NewClient(&redis.Options{
		Addr: address, Dialer: dial, PoolSize: mostConnections, Protocol: 2, DisableIdentity: true, ContextTimeoutEnabled: true,
	}), map[string]int64{}}
	for method, answer := range answers {
		s.members[method] = int64(max(1, answer/bytesOfMember))
	}
	return s, nil
}

// entries are so many of a sorted set.
func entries(n int64) []redis.Z {
	out := make([]redis.Z, n)
	for i := range out {
		out[i] = redis.Z{Score: float64(i), Member: fmt.Sprintf("%0*d", bytesOfMember, i)}
	}
	return out
}

func (s redisStore) seed(ctx context.Context, method string, answer int) error {
	switch method {
	case "get":
		return s.Set(ctx, method, zeros[:answer], 0).Err()
	case "zrange", "zrevrange":
		return s.ZAdd(ctx, method, entries(s.members[method])...).Err()
	}
	return nil
}

func (s redisStore) call(ctx context.Context, method string, size int) error {
	switch method {
	case "get":
		return s.Get(ctx, method).Err()
	case "set":
		return s.Set(ctx, method, zeros[:size], 0).Err()
	case "zadd":
		return s.ZAdd(ctx, method, entries(int64(max(1, size/bytesOfEntry)))...).Err()
	case "zrange":
		return s.ZRange(ctx, method, 0, s.members[method]-1).Err()
	case "zrevrange":
		return s.ZRevRange(ctx, method, 0, s.members[method]-1).Err()
	}
	return errUnknown(method)
}

func (s redisStore) close() error { return s.Close() }

// memcached.

type memcachedStore struct{ *memcache.Client }

func newMemcached(address string, dial dialing, _ map[string]int) (store, error) {
	c := memcache.New(address)
	c.DialContext, c.Timeout, c.MaxIdleConns = dial, callTimeout, mostConnections
	return memcachedStore{c}, nil
}

func (s memcachedStore) seed(_ context.Context, method string, answer int) error {
	if method != "get" {
		return nil
	}
	return s.Set(&memcache.Item{Key: method, Value: zeros[:answer]})
}

func (s memcachedStore) call(_ context.Context, method string, size int) error {
	switch method {
	case "get":
		_, err := s.Get(method)
		return err
	case "set":
		return s.Set(&memcache.Item{Key: method, Value: zeros[:size]})
	}
	return errUnknown(method)
}

func (s memcachedStore) close() error { return s.Close() }

// MongoDB.

type mongoStore struct {
	*mongo.Client
	*mongo.Collection
}

func newMongoDB(address string, dial dialing, _ map[string]int) (store, error) {
	c, err := mongo.Connect(options.Client().ApplyURI("mongodb://" + address + "/?directConnection=true&retryWrites=false").
		SetDialer(mongoDialer(dial)).SetMaxPoolSize(mostConnections).SetServerMonitoringMode("poll"))
	if err != nil {
		return nil, err
	}
	return mongoStore{c, c.Database("node").Collection("node")}, nil
}

// mongoDialer is a dialing as the driver takes it.
type mongoDialer dialing

func (d mongoDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return d(ctx, network, address)
}

// document is one with so many bytes.
func document(id string, size int) bson.D {
	d := bson.D{{Key: "body", Value: zeros[:size]}}
	if id != "" {
		d = append(bson.D{{Key: "_id", Value: id}}, d...)
	}
	return d
}

func (s mongoStore) seed(ctx context.Context, method string, answer int) error {
	if method != "find" {
		return s.Ping(ctx, nil)
	}
	_, err := s.ReplaceOne(ctx, bson.D{{Key: "_id", Value: method}}, document(method, answer), options.Replace().SetUpsert(true))
	return err
}

func (s mongoStore) call(ctx context.Context, method string, size int) error {
	switch method {
	case "find":
		return s.FindOne(ctx, bson.D{{Key: "_id", Value: method}}).Err()
	case "insert":
		_, err := s.InsertOne(ctx, document("", size))
		return err
	case "update":
		_, err := s.UpdateOne(ctx, bson.D{{Key: "_id", Value: method}}, bson.D{{Key: "$set", Value: document("", size)}}, options.UpdateOne().SetUpsert(true))
		return err
	}
	return errUnknown(method)
}

func (s mongoStore) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
	defer cancel()
	return s.Disconnect(ctx)
}
