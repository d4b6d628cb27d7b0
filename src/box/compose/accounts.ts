import { createOutbound } from "../core/outbound/outbound.ts"
import { createKeyCalls } from "../features/accounts/key-calls.ts"
import { createKeys } from "../features/accounts/keys.ts"
import { createPeople } from "../features/accounts/people.ts"
import { pageAddresses } from "../features/accounts/page-addresses.ts"
import { createSessions } from "../features/accounts/sessions.ts"
import { composeProvider } from "./provider.ts"
import { startSystemSenders } from "../features/notifications/system-senders.ts"
import { createSnoozing } from "../features/notifications/snoozing.ts"
import { createNotifications } from "../features/notifications/service.ts"
import { onDemand } from "../core/lazy.ts"
import { openEgressLog } from "../features/privacy/egress-log.ts"
import { openSettings } from "../features/settings/settings.ts"
import { createBoxValues } from "../core/database/box-values.ts"
import type { Assistants } from "../features/assistants/service.ts"
import { createChatTitles } from "../features/chat/transcript/conversation-store.ts"
import type { Base } from "./compose-options.ts"

/** Functions of parts that are created later. */
interface Later {
  localOnlyChanged(): Promise<void>
  assistantNames: Assistants["names"]
}

export type Accounts = Awaited<ReturnType<typeof composeAccounts>>

/** Users and their rights, settings, outgoing connections, and notifications. */
export async function composeAccounts(base: Base, later: Later) {
  const { config, bus, live, apps, logger, port, network, secrets, clock, known, stack } = base
  const { db } = base.database
  const onRevoked = (credentialId: string) => live.close(credentialId)
  const onDisabled = (userId: string) => bus.publish("people.disabled", { userIds: [userId] })
  const people = createPeople(db)
  const keyCalls = stack.use(createKeyCalls(db, logger))
  const keys = createKeys(db, onRevoked, base.database.state)
  const sessions = createSessions(db, onRevoked, clock)
  const values = createBoxValues(db)
  /** Loaded with the first request that may be logged. */
  const audit = onDemand(
    async () => {
      const { createAudit } = await import("../features/audit/audit.ts")
      const { folderAccess } = await import("../features/folders/store.ts")
      const { assistantAccess } = await import("../features/assistants/store.ts")
      return createAudit({
        db,
        logger,
        ageNow: clock.now,
        reserve: base.reserve,
        user: people.user,
        getKeys: keys.list,
        access: (kind, id) => (kind === "folder" ? folderAccess : assistantAccess)(db, id),
      })
    },
    async () => {},
  )
  const settings = await openSettings({
    db,
    values,
    secrets,
    logger,
    canForget: known.canForget,
    startedLocalOnly: config.localOnly,
    localOnlyChanged: later.localOnlyChanged,
    network,
  })
  const chatTitles = createChatTitles(db)
  const egress = stack.use(
    await openEgressLog({
      db,
      logger,
      ageNow: clock.now,
      names: { people: people.names, chats: chatTitles, assistants: later.assistantNames },
    }),
  )
  const outbound = stack.use(createOutbound({ localOnly: settings.localOnly, record: egress.record }))
  const allowedHosts = () => [...config.allowedHosts, ...settings.current.allowedHosts]
  const addresses = () =>
    pageAddresses({
      host: config.host,
      port: port(),
      allowedHosts: allowedHosts(),
      openAddresses: network.hosts(),
      publicUrl: config.publicUrl,
    })
  const provider = composeProvider(base, { outbound, sessions, onRevoked, addresses })
  const notifications = createNotifications({
    db,
    logger,
    deliver: apps.sendTo,
    isConnected: apps.has,
    mutedCategories: async (userId) => (await settings.personal(userId)).mutedCategories,
    getWorkspaces: async (userId) => (await people.memberships(userId)).map(({ id }) => id),
    onSnoozed: () => snoozing.onSnoozed(),
  })
  const snoozing = stack.use(createSnoozing(notifications, logger))

  const systemSenders = stack.use(
    startSystemSenders({ bus, ownerIds: people.ownerIds, logger, ...notifications }),
  )
  return {
    people,
    keys,
    keyCalls,
    sessions,
    values,
    settings,
    chatTitles,
    egress,
    audit,
    outbound,
    addresses,
    provider,
    notifications,
    snoozing,
    systemSenders,
    onRevoked,
    onDisabled,
  }
}
