import { useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import { useEffect } from "react"
import { box } from "../../lib/box.ts"
import { goesToProvider, goToProvider, leaveForProvider } from "../../lib/browser/provider-return.ts"
import { Button } from "../../ui/controls/Button.tsx"

/**
 * Signs in through the provider, if one is configured. With `unasked`, users who signed in this way before are redirected automatically
 * when their session has ended.
 */
export function ProviderButton({ unasked = false }: { unasked?: boolean }) {
  const { data } = useQuery({
    queryKey: ["ways-to-sign-in"],
    queryFn: () => box.providerSignIn.ways(),
    staleTime: Infinity,
  })
  const provider = data?.provider
  const goes = unasked && provider !== undefined && provider !== null && goesToProvider()
  useEffect(() => {
    if (goes) goToProvider()
  }, [goes])
  if (!provider) return null
  return (
    <Button variant="primary" className="w-fit max-w-full" busy={goes} onClick={leaveForProvider}>
      <span className="truncate">{t("provider:with", { provider: provider.name })}</span>
    </Button>
  )
}
