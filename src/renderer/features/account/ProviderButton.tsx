import { useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import { useEffect } from "react"
import { box } from "../../lib/box.ts"
import { shouldGoToProvider, goToProvider, leaveForProvider } from "../../lib/browser/provider-return.ts"
import { Button } from "../../ui/controls/Button.tsx"

/**
 * Signs in through the provider, if one is configured. With `isAutomatic`, users who signed in this way before are redirected automatically
 * when their session has ended.
 */
export function ProviderButton({ isAutomatic = false }: { isAutomatic?: boolean }) {
  const { data } = useQuery({
    queryKey: ["ways-to-sign-in"],
    queryFn: () => box.providerSignIn.ways(),
    staleTime: Infinity,
  })
  const provider = data?.provider
  const goes = isAutomatic && provider !== undefined && provider !== null && shouldGoToProvider()
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
