import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { allowOnce, cancelled, connect, reject } from "./support/acp.mjs";
import { directory, onRunners } from "./support/host.mjs";

const write = "echo x >> here";

onRunners("the user allows a denied command, once", async (t, runner) => {
  const workspace = directory(t);
  const session = await connect(t, { runner, workspace, answer: allowOnce });
  assert.equal(session.initialized.agentInfo.name, "dsh");
  assert.equal(session.begun.modes.currentModeId, "read-only");
  assert.deepEqual(await session.prompt(write), { stopReason: "end_turn" });
  assert.match(session.said(), /^\[sandbox: file access denied under read-only mode\]$/m);
  assert.equal(existsSync(`${workspace}/here`), true);

  assert.equal(session.asked.length, 1);
  const [{ toolCall, options }] = session.asked;
  assert.deepEqual(options.map((option) => option.kind), ["allow_once", "reject_once"]);
  assert.match(toolCall.title, /workspace-write .*echo x >> here/);
  assert.match(toolCall.content[0].content.text, /mode asked: workspace-write/);

  assert.deepEqual(await session.prompt(write), { stopReason: "end_turn" });
  assert.equal(session.asked.length, 2, "the second command was asked about too");
});

for (const [name, answer, stopReason] of [
  ["rejects", reject, "end_turn"],
  ["closes the question", cancelled, "cancelled"],
]) {
  onRunners(`nothing changes when the user ${name}`, async (t, runner) => {
    const workspace = directory(t);
    const session = await connect(t, { runner, workspace, answer });
    assert.deepEqual(await session.prompt(write), { stopReason });
    assert.match(session.said(), /^\[sandbox: file access denied under read-only mode\]$/m);
    assert.equal(existsSync(`${workspace}/here`), false);
    assert.equal(session.asked.length, 1);
    assert.equal(session.statuses().at(-1), "failed");
    assert.deepEqual(await session.prompt("echo still here"), { stopReason: "end_turn" });
    assert.match(session.said(), /^still here$/m);
  });
}

onRunners("a mode that the user chose holds", async (t, runner) => {
  const workspace = directory(t);
  const beside = `${directory(t)}/there`;
  const session = await connect(t, { runner, workspace, answer: reject });
  await session.setMode("workspace-write");
  assert.deepEqual(await session.prompt(write), { stopReason: "end_turn" });
  assert.equal(existsSync(`${workspace}/here`), true);
  assert.equal(session.asked.length, 0);
  assert.deepEqual(await session.prompt(`echo x > ${beside}`), { stopReason: "end_turn" });
  assert.match(session.said(), /^\[sandbox: file access denied under workspace-write mode\]$/m);
  assert.equal(existsSync(beside), false);
});
