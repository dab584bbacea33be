import assert from "node:assert/strict";
import { connect, onGenerations } from "./support/mcp.mjs";
import { directory, eventually, sleeper } from "./support/host.mjs";

onGenerations("a task is started, read, listed and killed", async (t, runner, generation) => {
  const session = await connect(t, generation, { runner, workspace: directory(t) });
  const { command, runs } = sleeper();
  const started = await session.bash(`echo begun; ${command}`, { run_in_background: true });
  assert.deepEqual(started, { text: "started background task 1\n", failed: false });
  await eventually("the command sleeps", runs);
  assert.equal((await session.call("task_list")).text, "1: A test (running)\n");
  assert.equal((await session.call("task_output", { task_id: "1" })).text, "begun\n[running]\n");
  assert.equal((await session.call("task_output", { task_id: "1" })).text, "(no output)\n[running]\n");

  assert.equal((await session.call("task_kill", { task_id: "1" })).text, "terminating background task 1\n");
  await eventually("the command is gone", () => !runs());
  await eventually("the task has ended", async () =>
    !(await session.call("task_list")).text.includes("(running)"));
  assert.match((await session.call("task_output", { task_id: "1" })).text, /\[killed by signal: SIGTERM\]|\[exit code: 143\]/);

  const unknown = await session.call("task_kill", { task_id: "2" });
  assert.equal(unknown.failed, true);
  assert.match(unknown.text, /no such background task/);
});
