import { app } from "electron"

/** Restarts the program after it exits, with its flags but without a link that was already followed. */
export function relaunchAfterEnd(): void {
  app.relaunch({ args: process.argv.slice(1).filter((argument) => !/^casella:/i.test(argument)) })
}
