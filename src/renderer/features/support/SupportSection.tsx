import { useMutation } from "@tanstack/react-query"
import { t } from "i18next"
import { LogOut, Pencil, RotateCw, Trash2, LifeBuoy } from "lucide-react"
import { useState, useEffect } from "react"
import { useLocation, useSearchParams } from "wouter"
import type { SupportTicket } from "../../../shared/contract/support.ts"
import {
  useSupportSignIn,
  useSupportAccount,
  useSupportSignOut,
  refreshReports,
  useReports,
} from "../../data/support.ts"
import { describeError, box } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { editReport, openReport } from "../../lib/report-dialog.ts"
import { showError } from "../../lib/toasts.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { formatDay, formatMoment, formatTime } from "../../lib/words/format.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { classNames } from "../../ui/class-names.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { TextField } from "../../ui/controls/Field.tsx"
import { Facts, SettingsGroup } from "../../ui/controls/Sections.tsx"

/** Signs in with a password, which isn't stored, or with a cloud key. */
function SignInForm({ authUrl }: { authUrl: string }) {
  const [withKey, setWithKey] = useState(false)
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const [key, setKey] = useState("")
  const signIn = useSupportSignIn()
  const issues = getIssues(signIn.error, ["email", "password", "key"])
  const complete = withKey ? key.trim() !== "" : email.trim() !== "" && password !== ""
  return (
    <form
      className="flex max-w-md flex-col items-start gap-4 *:w-full"
      onSubmit={(event) => {
        event.preventDefault()
        signIn.mutate(withKey ? { key } : { email, password })
      }}
    >
      {withKey ? (
        <TextField
          label={t("support:account.key")}
          hint={t("support:account.keyHint")}
          type="password"
          value={key}
          error={issues["key"]}
          onChange={(event) => setKey(event.target.value)}
        />
      ) : (
        <>
          <TextField
            label={t("support:account.email")}
            type="email"
            autoComplete="username"
            value={email}
            error={issues["email"]}
            onChange={(event) => setEmail(event.target.value)}
          />
          <TextField
            label={t("support:account.password")}
            hint={t("support:account.passwordHint", { service: authUrl })}
            type="password"
            autoComplete="current-password"
            value={password}
            error={issues["password"]}
            onChange={(event) => setPassword(event.target.value)}
          />
        </>
      )}
      {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={signIn.isPending} disabled={!complete}>
          {t("support:account.signIn")}
        </Button>
        <Button
          variant="quiet"
          onClick={() => {
            signIn.reset()
            setWithKey(!withKey)
          }}
        >
          {t(withKey ? "support:account.usePassword" : "support:account.useKey")}
        </Button>
      </div>
    </form>
  )
}

/** The account that reports are sent from. */
function AccountGroup() {
  const { data: account, error } = useSupportAccount()
  const signOut = useSupportSignOut()
  return (
    <SettingsGroup title={t("support:account.title")} description={t("support:account.description")}>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {account?.authUrl === null && <Note>{t("support:account.noService")}</Note>}
      {account && account.authUrl !== null && !account.signedIn && <SignInForm authUrl={account.authUrl} />}
      {account && account.authUrl !== null && account.signedIn && (
        <div className="flex flex-col items-start gap-3 *:w-full">
          <Facts
            rows={[
              [t("support:account.as"), account.email ?? t("support:account.withKey")],
              [t("support:account.service"), account.authUrl],
              ...(account.expiresAt === null
                ? []
                : [
                    [t("support:account.until"), formatDay(new Date(account.expiresAt), "year")] as [
                      string,
                      string,
                    ],
                  ]),
            ]}
          />
          <Button
            className="max-w-fit"
            busy={signOut.isPending}
            onClick={() => signOut.mutate(undefined, { onError: showError })}
          >
            <LogOut aria-hidden /> {t("support:account.signOut")}
          </Button>
        </div>
      )}
    </SettingsGroup>
  )
}

const stateTints: Record<SupportTicket["state"], string> = {
  waiting: "bg-well text-soft",
  sending: "bg-well text-soft",
  unsure: "bg-warning-tint text-ink",
  refused: "bg-danger-tint text-ink",
  sent: "bg-well text-soft",
}

/** One report: its state and the actions for it. */
function ReportRow({ ticket }: { ticket: SupportTicket }) {
  const { id, state, title, description, type, status, problem, nextAttemptAt, createdAt } = ticket
  const act = useMutation({
    mutationFn: (action: "retry" | "remove"): Promise<unknown> => box.support[action]({ params: { id } }),
    onError: showError,
    onSettled: refreshReports,
  })
  const canTry = state === "waiting" || state === "refused" || state === "unsure"
  const why = problem === null ? null : t(`support:problems.${problem.code}`)
  return (
    <li className="flex items-start gap-3 px-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2 text-sm">
          <span className="truncate" title={title}>
            {title}
          </span>
          <span className={classNames("shrink-0 rounded-full px-2 py-0.5 text-xs", stateTints[state])}>
            {status === null ? t(`support:states.${state}`) : t(`support:statuses.${status}`)}
          </span>
        </p>
        <p className="truncate text-xs text-faint" title={description}>
          {[t(`support:types.${type}`), formatMoment(createdAt), description].join(" · ")}
        </p>
        {why !== null && (
          <p className="mt-1 text-xs text-soft">
            {why} {problem?.code === "invalid" && problem.message}{" "}
            {nextAttemptAt !== null && t("support:reports.next", { time: formatTime(nextAttemptAt) })}
          </p>
        )}
      </div>
      <div className="flex shrink-0">
        {canTry && (
          <IconButton
            label={t("support:reports.retry", { title })}
            disabled={act.isPending}
            onClick={() => act.mutate("retry")}
          >
            <RotateCw aria-hidden />
          </IconButton>
        )}
        {(state === "waiting" || state === "refused") && (
          <IconButton label={t("support:reports.edit", { title })} onClick={() => editReport(id)}>
            <Pencil aria-hidden />
          </IconButton>
        )}
        {state !== "sending" && (
          <IconButton
            label={t("support:reports.remove", { title })}
            disabled={act.isPending}
            onClick={() => act.mutate("remove")}
          >
            <Trash2 aria-hidden />
          </IconButton>
        )}
      </div>
    </li>
  )
}

/** Reports to support, newest first. */
function ReportList() {
  const { data, error } = useReports()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!data) return <Spinner label={t("common:loading")} />
  const { tickets, pagination } = data
  if (tickets.length === 0)
    return <p className="rounded-lg border border-line p-4 text-sm text-soft">{t("support:reports.none")}</p>
  return (
    <>
      <ul
        aria-label={t("support:reports.title")}
        className="divide-y divide-line rounded-lg border border-line"
      >
        {tickets.map((ticket) => (
          <ReportRow key={ticket.id} ticket={ticket} />
        ))}
      </ul>
      {pagination.hasMore && (
        <p className="mt-2 text-xs text-faint">
          {t("support:reports.more", { count: pagination.total - tickets.length })}
        </p>
      )}
    </>
  )
}

/** Reports to support, their outcomes, and the account they are sent from. */
export function SupportSection() {
  const [, navigate] = useLocation()
  const [search] = useSearchParams()
  const asked = search.has("new")
  useEffect(() => {
    if (!asked) return
    navigate(routes.support, { replace: true })
    void openReport()
  }, [asked, navigate])
  return (
    <>
      <SettingsGroup
        title={t("support:reports.title")}
        description={t("support:reports.description")}
        action={
          <Button variant="primary" onClick={() => void openReport()}>
            <LifeBuoy aria-hidden /> {t("support:reports.new")}
          </Button>
        }
      >
        <ReportList />
      </SettingsGroup>
      <AccountGroup />
    </>
  )
}
