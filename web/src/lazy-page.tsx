import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from './api.ts';
import { FailureNotice, Loading } from './parts/notice.tsx';

/** A page whose script is loaded when it is opened for the first time. */
export function lazyPage(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | null = null;
  return function LazyPage() {
    const [Page, setPage] = useState<ComponentType | null>(() => loaded);
    const [failed, setFailed] = useState(false);
    const begin = (): void => {
      setFailed(false);
      load().then(
        (page) => {
          loaded = page;
          setPage(() => page);
        },
        () => setFailed(true),
      );
    };
    useEffect(() => {
      if (Page === null) begin();
    }, []);
    if (failed) return <FailureNotice failure={new ApiError('', 0)} again={begin} />;
    return Page === null ? <Loading /> : <Page />;
  };
}
