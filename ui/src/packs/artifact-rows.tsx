import { useMutation } from '@tanstack/react-query';
import type { Artifact } from '../api/generated/rest.ts';
import { readArtifact } from '../api/pack-api.ts';
import { byteSize } from '../health/byte-size.ts';
import { saveFile } from '../health/save-file.ts';
import { dayOf, exactly } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { strings } from '../strings.ts';

const text = strings.packRun;

/** The files that a run stored, each with a download button. */
export function ArtifactRows({ artifacts }: { artifacts: readonly Artifact[] }) {
  return (
    <ul className="stack gap-2" aria-label={text.artifacts}>
      {artifacts.map((artifact) => (
        <ArtifactRow key={artifact.artifact_key} artifact={artifact} />
      ))}
    </ul>
  );
}

function ArtifactRow({ artifact }: { artifact: Artifact }) {
  const { filename, size, expires_at } = artifact;
  const download = useMutation({
    mutationFn: () => readArtifact(artifact),
    onSuccess: (content) => saveFile(content, filename),
  });
  return (
    <li className="stack gap-2">
      <div className="row small muted">
        <Icon name="file" small />
        <span className="grow cut">
          <span className="mono">{filename}</span> · {byteSize(size)} ·{' '}
          <span title={exactly(expires_at)}>{text.keptUntil(dayOf(expires_at))}</span>
        </span>
        <button
          type="button"
          className="btn btn-s"
          aria-label={text.downloadFile(filename)}
          disabled={download.isPending}
          onClick={() => download.mutate()}
        >
          <Icon name="down" small />
          {text.download}
        </button>
      </div>
      {download.isError && <ProblemNote error={download.error} title={text.downloadFailed} />}
    </li>
  );
}
