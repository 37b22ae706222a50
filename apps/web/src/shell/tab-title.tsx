import { DemoMark } from './demo-mark.tsx';
import css from './shell.module.css';

/** The heading of a tab's screen, with the demo's mark where no header shows it. */
export function TabTitle({ children, className = '' }: { children: string; className?: string | undefined }) {
  return (
    <div className={`${css.tabTitle} ${className}`}>
      <h1>{children}</h1>
      <span className="narrow">
        <DemoMark />
      </span>
    </div>
  );
}
