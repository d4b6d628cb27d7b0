// Preloaded into a real child process: once that has started and its walls stand, the parent has it run attacks.
import { encodeMessage } from "../../core/children/parent.ts"
import { attacks } from "./attacks.mjs"

const { emit } = process
const write = process.send.bind(process)
const send = (message) => write(encodeMessage(message))
process.emit = function (name, message, ...rest) {
  if (name !== "message" || !message?.attack) return emit.call(this, name, message, ...rest)
  const { kind, name: which, target } = message.attack
  void run(attacks[kind][which], target).then((got) => send({ attacked: got }))
  return true
}

async function run(attack, target) {
  try {
    const got = await Promise.race([
      attack(target),
      new Promise((resolve) => setTimeout(resolve, 300, "nothing happened")),
    ])
    return { got: typeof got === "object" ? JSON.stringify(Object.keys(got ?? {})) : String(got) }
  } catch (error) {
    return { refused: String(error?.message ?? error) }
  }
}
