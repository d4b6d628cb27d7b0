/* oxlint-disable no-underscore-dangle, no-constant-binary-expression, no-extend-native, no-empty -- what an attacker would write */
// Programs that run in a child process whose code was taken over. Each is told where a listener waits on loopback, and
// which files it must not read: what it returns is what it got.
import { builtin, inThread, require } from "./attack-tools.mjs"
import { files, written } from "./file-attacks.mjs"
import { sockets, tcp, udp } from "./network-attacks.mjs"

const programs = {
  execFileSync: () => String(builtin("child_process").execFileSync("/bin/echo", ["ran"])),
  spawnSync: () => String(builtin("child_process").spawnSync("/bin/echo", ["ran"]).stdout),
  fork: () => builtin("child_process").fork("/bin/echo") && "ran",
  cluster: () => builtin("cluster").fork() && "ran",
  execve: () => process.execve("/bin/echo", ["echo", "ran"], {}),
  "spawn_sync by binding": () =>
    process.binding("spawn_sync").spawn({ file: "/bin/echo", args: ["echo"] }).status === 0 && "ran",
  "process_wrap by binding": () =>
    new (process.binding("process_wrap").Process)().spawn({ file: "/bin/echo", args: ["echo"] }) === 0 &&
    "ran",
}

const signals = {
  "process.kill": () => process.kill(process.ppid, "SIGUSR2") && "sent",
  "process._kill": () => process._kill(process.ppid, 12) === 0 && "sent",
  "process._debugProcess": () => process._debugProcess(process.ppid) ?? "sent",
  "a new ChildProcess": () => {
    const child = new (builtin("child_process").ChildProcess)()
    return child._handle.kill(12) === 0 && "sent"
  },
  "a thread with process.kill": () =>
    inThread(
      require("worker_threads").Worker,
      `process.kill(process.ppid, "SIGUSR2"); require("worker_threads").parentPort.postMessage("sent")`,
    ),
}

export const attacks = { tcp, udp, sockets, files, written, programs, signals }
