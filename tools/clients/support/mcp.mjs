// The two official clients of the Model Context Protocol, one for each of its
// generations, behind one face.

import * as next from "@modelcontextprotocol/client";
import { StdioClientTransport as NextTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { dsh, eventually, alive, onRunners } from "./host.mjs";

const info = { name: "outsider", version: "3.4" };

// classic asks and tells while a call runs.
const classic = {
  version: "2025-11-25",
  create(options) {
    const client = new Client(info, options);
    return {
      client,
      transport: (server) => new StdioClientTransport(server),
      onElicit: (handler) => client.setRequestHandler(ElicitRequestSchema, handler),
      onMessage: (handler) => client.setNotificationHandler(LoggingMessageNotificationSchema, handler),
      callTool: (params, options) => client.callTool(params, undefined, options),
    };
  },
};

// modern ends a call with the question, and makes it again with the answer.
const modern = {
  version: "2026-07-28",
  create(options) {
    const client = new next.Client(info, { ...options, versionNegotiation: { mode: { pin: "2026-07-28" } } });
    return {
      client,
      transport: (server) => new NextTransport(server),
      onElicit: (handler) => client.setRequestHandler("elicitation/create", handler),
      onMessage: (handler) => client.setNotificationHandler("notifications/message", handler),
      callTool: (params, options) => client.callTool(params, options),
    };
  },
};

// onGenerations makes one test for each runner and generation.
export function onGenerations(name, body) {
  for (const generation of [classic, modern]) {
    onRunners(`${name} (${generation.version})`, (t, runner) => body(t, runner, generation));
  }
}

// connect starts dsh mcp in a workspace. What answer returns is the user's
// answer to a form; without it the client cannot ask.
export async function connect(t, generation, { runner, workspace, mode = "read-only", answer }) {
  const made = generation.create({ capabilities: answer ? { elicitation: { form: {} } } : {} });
  const transport = made.transport({
    command: dsh,
    args: ["mcp", "--runner", runner, "--mode", mode, "--workspace", workspace],
    cwd: workspace,
    stderr: "inherit",
  });
  const session = { ...made, forms: [], messages: [], pid: undefined };
  if (answer) {
    made.onElicit((request) => {
      session.forms.push(request.params);
      return answer();
    });
  }
  made.onMessage((message) => void session.messages.push(message.params.data));
  t.after(() => made.client.close());
  await made.client.connect(transport);
  session.pid = transport.pid;
  session.gone = () => eventually("dsh mcp is gone", () => !alive(session.pid));
  session.call = async (name, args = {}, options) => {
    const result = await made.callTool({ name, arguments: args }, options);
    return { text: result.content.map((part) => part.text).join("|"), failed: result.isError === true };
  };
  session.bash = (command, more = {}, options) =>
    session.call("bash", { command, description: "A test", ...more }, options);
  return session;
}

// wider asks for one command to run under a wider mode.
export const wider = (mode) => ({ sandbox_permissions: mode, justification: "The user asked for this file." });

// choose is a form that the user sent with a choice.
export const choose = (decision) => () => ({ action: "accept", content: { decision } });
