// What the tests see of the machine: the program, its runners, directories,
// processes. check's leg clients sets the environment.

import { execFileSync, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";

function setting(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run: go run ./tools/cmd/check -run clients`);
  return value;
}

// dsh is the built program.
export const dsh = setting("DSH_CLIENTS_PROGRAM");

// places is a directory that no sandbox makes writable or hides.
const places = setting("DSH_CLIENTS_PLACES");

// required are the runners that must not be missing.
const required = (process.env.DSH_REQUIRE ?? "").split(",");

// patience bounds, in milliseconds, each test, and halfway what it waits for.
const patience = 60_000;

// scenario is the test file. It begins the name of each test, for what node says
// of where a test is from is this file.
const scenario = basename(process.argv[1], ".test.mjs");

const runners = examine();

function examine() {
  const doctor = spawnSync(dsh, ["doctor", "--json"], { encoding: "utf8", timeout: patience });
  if (!doctor.stdout) throw new Error(`dsh doctor: ${doctor.error ?? doctor.stderr}`);
  return JSON.parse(doctor.stdout).runners;
}

// onRunners makes one test for each runner of this system.
export function onRunners(name, body) {
  if (runners.length === 0) throw new Error("dsh has no runner for this system");
  for (const { runner, usable, reason } of runners) {
    const lacks = usable ? undefined : `${runner} is not usable here: ${reason}`;
    const must = required.includes(runner);
    test(`${scenario}: ${runner}: ${name}`, { timeout: patience, skip: must ? undefined : lacks }, (t) => {
      if (lacks) throw new Error(lacks);
      return body(t, runner);
    });
  }
}

// directory makes one that goes with the test.
export function directory(t) {
  const made = mkdtempSync(join(places, "w-"));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

// commandLines are those of all processes that run.
function commandLines() {
  if (process.platform !== "linux") {
    return execFileSync("ps", ["-axo", "args="], { encoding: "utf8" }).split("\n");
  }
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    } catch {
      return ""; // it has ended since
    }
  });
}

// sleeper is a command that sleeps for a time that nobody else sleeps for, by
// which the host tells whether it runs.
export function sleeper() {
  const command = `sleep 300.${randomInt(2 ** 47)}`;
  return { command, runs: () => commandLines().includes(command) };
}

// eventually waits until a condition is true.
export async function eventually(what, condition) {
  for (const end = Date.now() + patience / 2; !(await condition());) {
    if (Date.now() > end) throw new Error(`not within time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// alive tells whether a process is there.
export function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error.code === "ESRCH") return false;
    throw error;
  }
}
