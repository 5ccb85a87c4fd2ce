package editorschema

import (
	"time"

	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// workspaceFile describes vatio.yml.
func workspaceFile() *schema {
	slug := matching("The name of the workspace: a-z and 0-9, in words joined by -.", `^[a-z0-9]+(-[a-z0-9]+)*$`, "acme")
	slug.MaxLength = 40
	s := closed("An agent and its tools.",
		needs("workspace", slug),
		needs("agent", closed("The agent.",
			needs("instructions", text("What the model is told before every conversation.")),
			may("tools", list("The tools the agent has. A file in tools/ does nothing until its key stands here.",
				str("The key of a file in tools/, or knowledge_lookup, identify_contact or request_contact_info.",
					"knowledge_lookup", "identify_contact", "request_contact_info"))),
			may("knowledge", list("The knowledge bases that knowledge_lookup searches.", str("A directory of Markdown files in knowledge/."))),
			may("handoff", closed("Gives the agent the handoff tool, which passes the conversation to a person.",
				needs("when", text("The situation in which a person takes over.", "The visitor asks for a person.")),
				needs("message", text("What the visitor is told then.", "A person will take over from here.")),
			)),
			may("tool_timeout_seconds", whole("How many seconds a call of a tool may take.", tool.MinTimeout, tool.MaxTimeout, int(workspace.DefaultToolTimeout/time.Second))),
			may("tool_budget", whole("How many calls of tools one turn may have.", 1, workspace.MaxToolBudget, workspace.DefaultToolBudget)),
		)),
		may("auth", closed("How the tokens of signed-in visitors are verified. Private tools need it.",
			needs("public_key", text("A PEM file inside the workspace. vatio auth new-key writes one.", "identity.pub")),
			needs("algorithm", oneOf("The one signature algorithm that tokens may have.", nil, workspace.Algorithms[:]...)),
			may("issuer", str("What iss must be in a token, where that matters.", "https://acme.example")),
		)),
		may("model", closed("Which model answers.",
			may("provider", oneOf("Who runs the model. offline is built in and no language model.", nil, workspace.Providers[:]...)),
			may("name", str("The name of the model, as its provider calls it.")),
			may("base_url", matching("Where the provider answers, if not at its usual address.", `^(https?://[^\s/?#@]+.*)?$`, "http://localhost:11434/v1")),
		)),
		may("registry", matching("The OCI registry that deployments are pushed to.",
			`^oci://[^\s/?#@]+(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)+$`, "oci://registry.example/acme/agent")),
	)
	s.Title = "vatio workspace"
	return s
}

// deployment describes deployment.toml.
func deployment() *schema {
	services := mapOf("The services granted to the agent, by name.", closed("A service.",
		needs("url", text("Where the service answers, or env:NAME.", "http://app:8000", "env:RECORDS_URL")),
		may("headers", mapOf("Headers that every call carries; values may be env:NAME.", str("A value, or env:NAME.", "env:RECORDS_TOKEN"))),
	))
	services.PropertyNames = &schema{Pattern: `^[a-z][a-z0-9-]*$`}
	s := closed("What is granted to the agents that are deployed together.",
		may("agents", list("The agents.", closed("An agent.",
			needs("id", matching("Who the agent is, to the services.", `^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$`, "records-agent")),
			needs("package", text("The directory of its workspace, relative to this file.", "agents/records")),
			may("services", services),
		))),
	)
	s.Title = "vatio deployment"
	return s
}
