package cli

import "github.com/spf13/cobra"

// newAgent holds the commands that tracetax starts itself as processes of their
// own. They are driven over stdin and stdout, and hidden from people.
func newAgent(s streams) *cobra.Command {
	agent := &cobra.Command{
		Use:    "agent",
		Short:  "Processes that tracetax starts itself",
		Hidden: true,
	}
	agent.AddCommand(newAgentSink(s), newAgentKeep(s), newAgentLoad(s), newAgentAnswer(s), newAgentHello(), newAgentVerify(s), newAgentVerifyTiers(s))
	return agent
}
