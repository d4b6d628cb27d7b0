import type { CustomFetch } from "openid-client"
import type { OidcConfig } from "../box-config.ts"
import { createBoxValues } from "../core/database/box-values.ts"
import { lazy, onDemand } from "../core/lazy.ts"
import { type Outbound, createOutbound } from "../core/outbound/outbound.ts"
import { createKeyCalls, createKeys } from "../features/accounts/keys.ts"
import { createPeople } from "../features/accounts/people.ts"
import { pageAddresses } from "../features/accounts/routes.ts"
import { type Sessions, createSessions } from "../features/accounts/sessions.ts"
import type { Assistants } from "../features/assistants/service.ts"
import { createChatTitles } from "../features/chat/transcript/conversation-store.ts"
import { createSnoozing, createNotifications } from "../features/notifications/service.ts"
import { createSystemSenders } from "../features/notifications/system-senders.ts"
import { openEgressLog } from "../features/privacy/egress-log.ts"
import { openSettings } from "../features/settings/settings.ts"
import type { Base } from "./compose-options.ts"

interface ProviderNeeds {
  outbound: Outbound
  sessions: Sessions
  onRevoked: (credentialId: string) => void
  addresses: () => { local: string }
}

/**
 * The identity provider that was configured at the start, which signs users in as an alternative to links; null: none. Loaded only if one
 * is configured.
 */
const composeProvider = (base: Base, needs: ProviderNeeds) =>
  base.config.oidc && configured(base, base.config.oidc, needs)

function configured(
  base: Base,
  oidc: OidcConfig,
  { outbound, sessions, onRevoked, addresses }: ProviderNeeds,
) {
  const { config, database, logger, port } = base
  const { issuer } = oidc
  const publicUrl = () => config.publicUrl ?? addresses().local
  const fetch = (address: string, options: Parameters<CustomFetch>[1]) =>
    outbound.fetch(address, { ...options, purpose: "sign-in" } as Parameters<Outbound["fetch"]>[1])

  const provider = lazy(async () =>
    (await import("../features/accounts/provider/provider.ts")).createProvider(oidc, fetch),
  )
  const signIn = lazy(async () => {
    const { createProviderSignIn } = await import("../features/accounts/provider/provider-sign-in.ts")
    const { admit } = await import("../features/accounts/provider/provider-sign-in.ts")
    const { heldOwnerIds } = await import("../features/accounts/held-accounts.ts")
    const values = createBoxValues(database.db)
    return createProviderSignIn({
      provider: await provider(),
      admit: async (claims) => admit(database.db, claims, oidc, await heldOwnerIds(values)),
      sessions,
      onRevoked,
      publicUrl,
      port,
      logger,
    })
  })

  return {
    /** Its host, by which users know it. */
    name: new URL(issuer).host,
    signIn,
    /** Logs a warning if the provider can't be reached; it is contacted again when someone signs in. */
    refresh: async (): Promise<void> =>
      (await provider()).refresh().catch((error: unknown) => {
        logger.warn({ err: error, issuer }, "The sign-in provider can't be reached")
      }),
    /** Returns where a browser signs out at the provider. Signing out here never fails because the provider doesn't respond. */
    leave: async (idToken: string): Promise<string | null> =>
      (await provider()).getSignOutUrl(idToken, `${publicUrl()}/`).catch(() => null),
  }
}

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
        getKeys: (userId) => keys.list(userId),
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

  const systemSenders = stack.use(createSystemSenders(notifications, bus, people.ownerIds, logger))
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
