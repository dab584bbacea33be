// acpx is a client of the Agent Client Protocol for the command line.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { directory, dsh, eventually, onRunners, sleeper } from "./support/host.mjs";

const manifest = createRequire(import.meta.url).resolve("acpx/package.json");
const acpx = join(dirname(manifest), "dist", "cli.js");

function start(t, runner, workspace, answer, prompt) {
  const program = spawn(process.execPath, [
    acpx, "--agent", `${dsh} acp --runner ${runner}`, "--cwd", workspace, answer, "--format", "text", "exec", prompt,
  ], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => program.kill("SIGKILL"));
  return program;
}

async function run(...args) {
  const program = start(...args);
  const [output, [status]] = await Promise.all([text(program.stdout), once(program, "exit")]);
  return { output, status };
}

onRunners("approves a denied command", async (t, runner) => {
  const workspace = directory(t);
  const { output, status } = await run(t, runner, workspace, "--approve-all", "echo x > here");
  assert.match(output, /\[sandbox: file access denied under read-only mode\]/);
  assert.match(output, /\[done\] end_turn/);
  assert.equal(status, 0);
  assert.equal(existsSync(`${workspace}/here`), true);
});

onRunners("denies a denied command", async (t, runner) => {
  const workspace = directory(t);
  const { output } = await run(t, runner, workspace, "--deny-all", "echo x > here");
  assert.match(output, /\[sandbox: file access denied under read-only mode\]/);
  assert.match(output, /the user rejected it/);
  assert.equal(existsSync(`${workspace}/here`), false);
});

onRunners("is interrupted, and its command ends", async (t, runner) => {
  const { command, runs } = sleeper();
  const program = start(t, runner, directory(t), "--deny-all", command);
  const ended = once(program, "exit");
  await eventually("the command sleeps", runs);
  program.kill("SIGINT");
  await ended;
  await eventually("the command is gone", () => !runs());
});
