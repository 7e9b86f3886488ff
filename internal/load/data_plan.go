// The operations of a plan that use data: where the gaps in their requests are.

package load

import (
	"context"
	"fmt"
)

// readData reads the files that the operations of p use, and gives each its rows.
func (p *plan) readData(ctx context.Context, files *dataFiles) error {
	var users []*gappy
	byFile := map[string][]*gappy{}
	for i, r := range p.task.Operations {
		if r.Data == "" {
			continue
		}
		u, err := newGappy(r, &p.ops[i])
		if err != nil {
			return fmt.Errorf("operation %q: %w", r.Name, err)
		}
		users = append(users, u)
		byFile[r.Data] = append(byFile[r.Data], u)
	}
	for name := range files.kept {
		if byFile[name] == nil {
			delete(files.kept, name)
		}
	}
	for name, of := range byFile {
		if err := files.read(ctx, name, of); err != nil {
			return err
		}
	}
	for _, u := range users {
		u.op.rows = u.rows(files.kept[u.request.Data].table, p.task.Seed)
	}
	return nil
}
