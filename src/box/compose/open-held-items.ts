import { AppError } from "../../shared/contract/errors.ts"
import { ModelRole } from "../../shared/contract/models.ts"
import { parseServerModelId } from "../../shared/contract/server-model-id.ts"
import { createBoxValues } from "../core/database/box-values.ts"
import type { HeldItems } from "../core/held-items.ts"
import { createHeldKeys, createHeldOwners } from "../features/accounts/held-accounts.ts"
import { listHeldAutomations } from "../features/automations/rest-automations.ts"
import { createModelStore } from "../features/models/model-choice.ts"
import { createHeldSettings } from "../features/settings/held-settings.ts"
import { createHeldItemService, type HeldItemService } from "../features/storage/held-items.ts"
import type { Accounts } from "./accounts.ts"
import type { composeAutomations } from "./automations.ts"
import type { Chat } from "./chat.ts"
import type { Base } from "./compose-options.ts"
import type { Library } from "./library/library.ts"
import type { Models } from "./models.ts"

type PartsWithHeldItems = Accounts &
  Models &
  Library &
  Chat & { automations: ReturnType<typeof composeAutomations> }

/** Items of a restored backup that stay disabled until an owner decides; loaded when an owner looks at them. */
export function openHeldItems(
  { database: { db }, dataDir, logger }: Base,
  parts: PartsWithHeldItems,
): HeldItemService {
  const { settings, integrations, modelServers, folders, people, keys, assistants, usableModels } = parts
  const values = createBoxValues(db)
  const release = async (id: string, isOn: boolean) => (await parts.automations.get()).release(id, isOn)
  const automations: HeldItems = {
    list: () =>
      listHeldAutomations({
        db,
        assistant: (userId, id) => assistants.read(userId, id).catch(nullIfNotFound),
        delegateIds: async (userId) => (await assistants.delegates(userId)).map(({ id }) => id),
        folderName: (userId, id) => folders.read(userId, id).then(({ name }) => name, nullIfNotFound),
        async modelName(id) {
          const model = await usableModels.find(id)
          const name = parseServerModelId(id)?.name
          return model && (name === undefined ? model.name : `${name} (${model.owner})`)
        },
      }),
    turnOn: (id) => release(id, true),
    leaveOff: (id) => release(id, false),
  }
  const chosenModels = createModelStore(values, dataDir, logger)
  const heldServers: HeldItems = {
    ...modelServers.held,
    async list() {
      const chosen = await Promise.all(
        ModelRole.options.map(async (role) => ({ role, modelId: (await chosenModels.chosen(role)) ?? "" })),
      )
      return (await modelServers.held.list()).map((item) => ({
        ...item,
        roles: chosen.flatMap(({ role, modelId }) =>
          parseServerModelId(modelId)?.serverId === item.id ? [role] : [],
        ),
      }))
    },
  }
  const features = [
    createHeldSettings(values, settings),
    integrations.held,
    heldServers,
    folders.held,
    createHeldKeys(db, keys),
    automations,
  ]
  if (parts.provider) features.push(createHeldOwners(db, values))
  return createHeldItemService(features, people.getName)
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof AppError && error.code === "not_found") return null
  throw error
}
