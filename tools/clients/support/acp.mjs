// The official client of the Agent Client Protocol, as an editor would use it.

import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { alive, dsh, eventually } from "./host.mjs";

// connect starts dsh acp, and a session in a directory. What answer returns is
// the option that the user chooses of those that are offered.
export async function connect(t, { runner, workspace, args = [], answer }) {
  const agent = spawn(dsh, ["acp", "--runner", runner, ...args], {
    cwd: workspace,
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => agent.stdin.end());
  const asked = [];
  const updates = [];
  const connection = client({ name: "outsider" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      return { outcome: answer(params.options) };
    })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .connect(ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)));
  const initialized = await connection.agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "outsider", version: "3.4" },
    clientCapabilities: {},
  });
  const begun = await connection.agent.request(methods.agent.session.new, { cwd: workspace, mcpServers: [] });
  const { sessionId } = begun;
  return {
    initialized,
    begun,
    asked,
    updates,
    prompt: (text) => connection.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }),
    cancel: () => connection.agent.notify(methods.agent.session.cancel, { sessionId }),
    setMode: (modeId) => connection.agent.request(methods.agent.session.setMode, { sessionId, modeId }),
    // said is what the agent told the user.
    said: () => updates.filter((u) => u.sessionUpdate === "agent_message_chunk").map((u) => u.content.text).join(""),
    // statuses are those of the tool calls, in order.
    statuses: () => updates.filter((u) => u.status).map((u) => u.status),
    disconnect: () => agent.stdin.end(),
    gone: () => eventually("dsh acp is gone", () => agent.exitCode !== null && !alive(agent.pid)),
    status: () => agent.exitCode,
  };
}

// The ways in which a user answers.
export const allowOnce = (options) => selected(options, "allow_once");
export const reject = (options) => selected(options, "reject_once");
export const cancelled = () => ({ outcome: "cancelled" });

function selected(options, kind) {
  return { outcome: "selected", optionId: options.find((option) => option.kind === kind).optionId };
}
