import type { z } from "zod"
import { BoxSettings } from "../../../shared/contract/settings.ts"
import type { BoxValues } from "../../core/database/box-values.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import type { HeldItems } from "../../core/held-items.ts"
import { type SettingsService, defaultSettings } from "./settings.ts"

/** Settings that give access to Casella, or decide where data is sent. */
const HeldSettings = BoxSettings.pick({
  networkAccess: true,
  allowedHosts: true,
  allowedOrigins: true,
  allowedPrivateHosts: true,
  webSearch: true,
  modelMirror: true,
  localOnlyPrograms: true,
})
type HeldKey = keyof z.infer<typeof HeldSettings>
type HeldValue = z.infer<typeof HeldSettings>[HeldKey]
const heldKeys = Object.keys(HeldSettings.shape) as HeldKey[]
/** Prefix of the keys under which values of a restored backup are stored until an owner turns them on. */
const heldPrefix = "held."

/** Resets these settings in a database restored from a backup, and keeps their values until an owner turns them on. */
export async function holdSettings(values: Pick<BoxValues, "all" | "write" | "remove">): Promise<void> {
  const held = (await values.all()).filter(({ key, value }) => {
    const name = heldKeys.find((one) => one === key)
    return name !== undefined && value !== JSON.stringify(defaultSettings[name])
  })
  await values.write(held.map(({ key, value }) => ({ key: heldPrefix + key, value })))
  await values.remove(...heldKeys)
}

/** Settings of a restored backup that let other computers connect or send data elsewhere. */
export function createHeldSettings(
  values: Pick<BoxValues, "all" | "remove">,
  settings: Pick<SettingsService, "update">,
): HeldItems {
  /** The held settings that have a valid value. */
  async function list() {
    return (await values.all()).flatMap(({ key, value }) => {
      const name = heldKeys.find((one) => heldPrefix + one === key)
      const stored = name && readStored(HeldSettings.shape[name], value)
      return name === undefined || stored === undefined ? [] : [{ name, value: stored }]
    })
  }
  const forget = (name: string) => values.remove(heldPrefix + name)

  return {
    list: async () =>
      (await list()).map(({ name, value }) => ({
        kind: "setting",
        id: name,
        ownerId: null,
        name,
        does: describe(value),
        trigger: null,
      })),
    async turnOn(id, by) {
      const held = (await list()).filter(({ name }) => name === id)
      await settings.update(by, Object.fromEntries(held.map(({ name, value }) => [name, value])))
      await forget(id)
    },
    leaveOff: forget,
  }
}

function describe(value: HeldValue): string {
  if (typeof value !== "object") return String(value)
  if (Array.isArray(value)) return value.join(", ")
  return value.url === null ? value.provider : `${value.provider}, ${value.url}`
}
