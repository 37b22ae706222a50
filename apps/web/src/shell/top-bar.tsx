import { BackIcon, IconButton } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { DemoMark } from './demo-mark.tsx';
import type { NavbarSlots } from './navbar.tsx';
import { goBack, hasPrevious } from './navigate.ts';
import css from './shell.module.css';
import { VisitorControls } from './visitor-controls.tsx';

/**
 * The top bar: back, an optional text on the left, the title, and an optional button on the right. A visitor has language and theme
 * there unless the view fills the place.
 */
export function TopBar(props: NavbarSlots & { readonly title: string }) {
  const { t } = useText();
  return (
    <header className={css.topbar}>
      <span className={`row ${css.topbarStart}`}>
        {(!props.isFirst || hasPrevious()) && (
          <IconButton
            label={t('shell.back')}
            className={css.back ?? ''}
            onClick={props.onBack ?? (() => goBack())}
          >
            <BackIcon />
          </IconButton>
        )}
        {props.leftText && <span className={`secondary ${css.leftText}`}>{props.leftText}</span>}
        <span className="narrow">
          <DemoMark />
        </span>
      </span>
      <h1 className={props.isTitleBelow ? 'sr' : css.title}>{props.title}</h1>
      <span className={css.topbarEnd}>
        {props.right ?? <VisitorControls />}
        {props.rightText && (
          <button type="button" className={`px-12 ink-2 touch ${css.rightText}`} onClick={props.onClickRight}>
            {props.rightText}
          </button>
        )}
      </span>
    </header>
  );
}
