import { useEffect, useState } from 'react';

/** Names version and commit of the server, as its `/healthz` tells them. Empty until it has answered. */
export function BuildLine() {
  const [build, setBuild] = useState<string>();
  useEffect(() => {
    fetch('/healthz')
      .then((answer) => answer.text())
      .then(
        (text) => setBuild(/^fairtick (.+)$/m.exec(text)?.[1]),
        () => {},
      );
  }, []);
  return <span translate="no">{build && `Fairtick ${build}`}</span>;
}
