import { app } from "electron"

/** Has the program start anew once it has ended, with its flags, but without a link that was followed already. */
export function relaunchAfterEnd(): void {
  app.relaunch({ args: process.argv.slice(1).filter((argument) => !/^casella:/i.test(argument)) })
}
