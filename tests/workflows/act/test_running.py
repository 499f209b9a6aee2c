"""The stand-in machine itself: what it would let pass, the tests of the workflows would let pass too."""

from __future__ import annotations

import json

import pytest

from tests.workflows.act.referee import Referee

pytestmark = pytest.mark.act

CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1"
UPLOAD = "actions/upload-artifact@043fb46d1a93c77aae656e7c1c64a875d1fc6a0a"
DOWNLOAD = "actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c"

LADDER = f"""
name: ladder
on:
  workflow_dispatch:
permissions: {{}}
jobs:
  first:
    name: First
    runs-on: ubuntu-24.04
    outputs:
      matrix: ${{{{ steps.plan.outputs.matrix }}}}
      artifact: ${{{{ steps.upload.outputs.artifact-id }}}}
    steps:
      - uses: {CHECKOUT}
        with:
          persist-credentials: false
      - id: plan
        run: |
          git log -1 --format=%s >"$RUNNER_TEMP/subject"
          first='{{"job":"001","runner":["ubuntu-24.04"]}}' second='{{"job":"002","runner":["self-hosted"]}}'
          echo "matrix={{\\"include\\":[$first,$second]}}" >>"$GITHUB_OUTPUT"
      - id: upload
        uses: {UPLOAD}
        with:
          name: subject
          path: ${{{{ runner.temp }}}}/subject
  second:
    name: Second ${{{{ matrix.job }}}}
    needs: first
    environment: attempts
    runs-on: ${{{{ matrix.runner }}}}
    strategy:
      fail-fast: false
      matrix: ${{{{ fromJSON(needs.first.outputs.matrix) }}}}
    steps:
      - env:
          OWN: ${{{{ secrets.OWN }}}}
          OTHER: ${{{{ secrets.OTHER }}}}
          IDENTITY: ${{{{ env.ACTIONS_ID_TOKEN_REQUEST_URL }}}}
          JOB: ${{{{ matrix.job }}}}
        run: |
          echo "own=${{OWN:+there}} other=${{OTHER:+there}} identity=${{ACTIONS_ID_TOKEN_REQUEST_URL:+there}}"
          [ "$JOB" = 001 ] || [ "$GITHUB_RUN_ATTEMPT" = 2 ]
  third:
    name: Third
    needs: [first, second]
    if: "!cancelled()"
    permissions:
      id-token: write
      contents: read
    runs-on: ubuntu-24.04
    steps:
      - uses: {DOWNLOAD}
        with:
          artifact-ids: ${{{{ needs.first.outputs.artifact }}}}
          path: taken
      - env:
          GITHUB_TOKEN: ${{{{ github.token }}}}
          SECOND: ${{{{ needs.second.result }}}}
        run: |
          echo "second=$SECOND subject=$(cat taken/subject) identity=${{ACTIONS_ID_TOKEN_REQUEST_URL:+there}}"
          curl -s -o answer -w '%{{http_code}}\\n' -X POST -H "Authorization: token $GITHUB_TOKEN" \\
              "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/1/comments" -d '{{"body": "x"}}'
          cat answer
"""


def add(referee: Referee, name: str, workflow: str) -> None:
    referee.platform.bare.commit("main", {f".github/workflows/{name}": workflow.encode()}, "A workflow")


def test_each_job_has_its_own_secrets_identity_and_permissions_and_no_more(referee: Referee) -> None:
    referee.secrets = {"attempts": {"OWN": "first-secret"}, "keys": {"OTHER": "second-secret"}}
    add(referee, "ladder.yml", LADDER)
    ran = referee.run("ladder.yml")
    assert ran.conclusions() == {
        "First": "success",
        "Second 001": "success",
        "Second 002": "failure",
        "Third": "success",
    }, ran.told()
    assert {leg.log for leg in ran.legs_of("second")} >= {"own=there other= identity=\n"}
    third = ran.leg("third").log
    assert "second=failure subject=A workflow identity=there" in third
    assert "403" in third and "issues: write or pull-requests: write" in third

    again = referee.rerun_failed(ran)
    assert again.conclusions() == {"Second 002": "success", "Third": "success"}, again.told()
    assert "second=success subject=A workflow" in again.leg("third").log
    assert json.loads(again.outputs["first"]["matrix"])["include"][1]["job"] == "002"
