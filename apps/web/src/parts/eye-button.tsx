import { EyeIcon, EyeOffIcon, IconButton } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { useSettings } from '../state/settings.ts';

/** Hides all figures of the reader's own money, on every screen, or shows them again. */
export function EyeButton() {
  const { t } = useText();
  const { isBalanceHidden, choose } = useSettings();
  const Icon = isBalanceHidden ? EyeOffIcon : EyeIcon;
  return (
    <IconButton
      label={t(isBalanceHidden ? 'home.showBalance' : 'home.hideBalance')}
      className="eye"
      onClick={() => choose('isBalanceHidden', !isBalanceHidden)}
    >
      <Icon size={16} />
    </IconButton>
  );
}
