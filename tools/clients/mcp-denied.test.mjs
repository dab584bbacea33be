import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { connect, onGenerations } from "./support/mcp.mjs";
import { directory } from "./support/host.mjs";

onGenerations("the client finds the tools", async (t, runner, generation) => {
  const session = await connect(t, generation, { runner, workspace: directory(t) });
  const { tools } = await session.client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), ["bash", "task_kill", "task_list", "task_output"]);
  const harmless = tools.filter((tool) => tool.annotations?.readOnlyHint === true);
  assert.deepEqual(harmless.map((tool) => tool.name).sort(), ["task_list", "task_output"]);
  assert.match(session.client.getInstructions(), /^Sandbox mode: read-only\./);
  assert.equal(session.client.getServerVersion().name, "dsh");
});

onGenerations("a command reads, and may not write", async (t, runner, generation) => {
  const workspace = directory(t);
  const session = await connect(t, generation, { runner, workspace });
  assert.deepEqual(await session.bash("echo hello; pwd"), { text: `hello\n${workspace}\n`, failed: false });
  const denied = await session.bash("echo x > here");
  assert.match(denied.text, /^\[sandbox: file access denied under read-only mode\]$/m);
  assert.match(denied.text, /^\[sandbox: escalation available — retry .*\]$/m);
  assert.match(denied.text, /\n\[exit code: 1\]\n$/);
  assert.equal(existsSync(`${workspace}/here`), false);
});

onGenerations("workspace-write ends at the workspace", async (t, runner, generation) => {
  const workspace = directory(t);
  const beside = `${directory(t)}/there`;
  const session = await connect(t, generation, { runner, workspace, mode: "workspace-write" });
  assert.deepEqual(await session.bash("echo x > here"), { text: "(no output)\n", failed: false });
  assert.equal(existsSync(`${workspace}/here`), true);
  const denied = await session.bash(`echo x > ${beside}`);
  assert.match(denied.text, /^\[sandbox: file access denied under workspace-write mode\]$/m);
  assert.equal(existsSync(beside), false);
});
