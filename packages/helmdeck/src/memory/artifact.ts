/** An artifact's metadata, known without reading its bytes. */
export interface ArtifactInfo {
  artifact_key: string;
  filename: string;
  content_type: string;
  kind?: string;
  size: number;
  created_at: string;
  expires_at: string;
}

export interface NewArtifact {
  content: Uint8Array;
  filename?: string;
  contentType?: string;
  kind?: string;
}

/** One caller's artifacts. */
export interface Artifacts {
  put(artifact: NewArtifact): Promise<ArtifactInfo>;
  /** Throws `not_found`, also for an artifact of another caller. */
  get(artifactKey: string): Promise<{ info: ArtifactInfo; content: Uint8Array }>;
  /** Newest first; `filename` matches a part of the name, ignoring case. */
  list(page: { filename?: string; limit: number; cursor?: string }): Promise<{
    artifacts: ArtifactInfo[];
    next_cursor?: string;
  }>;
  delete(artifactKey: string): Promise<boolean>;
}
