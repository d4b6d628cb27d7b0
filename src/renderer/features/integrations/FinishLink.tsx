import { useMutation } from "@tanstack/react-query"
import { t } from "i18next"
import { useEffect, useState } from "react"
import { box, describeError, hasCode } from "../../lib/box.ts"
import { navigate } from "../../lib/navigation/hash-location.ts"
import { finishLinkRoute } from "../../../shared/app-routes.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { Entrance } from "../../ui/PageParts.tsx"

/** The query parameters that a provider sends back with the browser. */
interface ProviderAnswer {
  state: string
  code: string
  iss?: string
}

/**
 * The page that a provider redirects back to. Nothing has been exchanged yet. The page asks by name whose account it will be, because
 * someone else may have sent the link that led here. The parameters are removed from the address bar immediately.
 */
export function FinishLink({ search }: { search: URLSearchParams }) {
  const [answer] = useState(() => answerIn(search))
  const preview = useMutation({
    mutationFn: async () => {
      const signIn = await box.integrations.signIn({ body: { state: answer.state } })
      // If another user tries, the box rejects this call and ends the sign-in.
      if (!signIn.own && !signIn.inApp) await box.integrations.finish({ body: answer })
      return signIn
    },
  })
  const finish = useMutation({
    mutationFn: async (own: boolean) => {
      if (own) await box.integrations.finish({ body: answer })
      else await box.integrations.handOver({ body: answer })
    },
  })
  const { mutate: begin } = preview
  useEffect(() => {
    navigate(finishLinkRoute, { replace: true })
    begin()
  }, [begin])
  const [refused, setRefused] = useState(false)

  const error = preview.error ?? finish.error
  if (error) {
    return (
      <Entrance title={t("integrations:finish.failed")}>
        <Note kind="error">
          {hasCode(error, "unauthorized") ? t("integrations:finish.signedOut") : describeError(error)}
        </Note>
      </Entrance>
    )
  }
  if (refused) {
    return (
      <Entrance title={t("integrations:finish.refused")}>
        <p>{t("integrations:finish.close")}</p>
      </Entrance>
    )
  }
  if (!preview.data)
    return (
      <Entrance title={t("integrations:finish.looking")}>
        <Spinner label={t("common:loading")} />
      </Entrance>
    )
  const { integration, person, own } = preview.data
  if (finish.isSuccess) {
    return (
      <Entrance
        title={own ? t("integrations:linked", { name: integration }) : t("integrations:finish.handed")}
      >
        <p>{own ? t("integrations:finish.close") : t("integrations:finish.confirmInApp")}</p>
      </Entrance>
    )
  }
  return (
    <Entrance title={t("integrations:finish.title", { integration })}>
      <p className="break-words">
        {t(own ? "integrations:finish.ask" : "integrations:finish.askForApp", { integration, person })}
      </p>
      <div className="mt-1 flex flex-wrap gap-2">
        <Button variant="primary" busy={finish.isPending} onClick={() => finish.mutate(own)}>
          {own ? t("integrations:finish.link", { person }) : t("integrations:finish.continue")}
        </Button>
        <Button onClick={() => setRefused(true)}>{t("common:cancel")}</Button>
      </div>
    </Entrance>
  )
}

function answerIn(search: URLSearchParams): ProviderAnswer {
  const iss = search.get("iss")
  return {
    state: search.get("state") ?? "",
    code: search.get("code") ?? "",
    ...(iss === null ? {} : { iss }),
  }
}
