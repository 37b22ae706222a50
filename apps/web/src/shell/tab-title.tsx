import { DemoMark } from './demo-mark.tsx';
import { HomeLink } from './home-link.tsx';
import css from './shell.module.css';
import { VisitorControls } from './visitor-controls.tsx';

/** The heading of a tab's screen. Where no header shows them: the way home, the demo's mark, and a visitor's language and theme. */
export function TabTitle({ children, className = '' }: { children: string; className?: string | undefined }) {
  return (
    <div className={`row gap-10 ${css.tabTitle} ${className}`}>
      <HomeLink />
      <h1>{children}</h1>
      <span className="narrow">
        <DemoMark />
      </span>
      <span className={css.tabTitleEnd}>
        <VisitorControls />
      </span>
    </div>
  );
}
