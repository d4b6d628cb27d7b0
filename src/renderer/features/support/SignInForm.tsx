import { t } from "i18next"
import { useState } from "react"
import { useSupportSignIn } from "../../data/support.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { TextField } from "../../ui/controls/Field.tsx"
import { Note } from "../../ui/Note.tsx"

/** Signs in with a password, which isn't stored, or with a cloud key. */
export function SignInForm({ authUrl }: { authUrl: string }) {
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
