"""Use what a stack made: put something into each of its parts that holds things, take it out again, compare.

Usage: python exercise.py ENDPOINT VALUE

stack.json says what was made. Ends with status 0 where at least one part was used and each gave back what went in.
What was put in is taken away again. Carried into the sandbox as it is: it needs boto3.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: How long a message may take to arrive, in seconds.
PATIENCE = 10
#: How many parts are used at most.
PARTS = 12

#: Opens a client of a service.
Open = Callable[[str], Any]


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def opener(endpoint: str) -> Open:
    """Return what opens clients of the server's services, past every proxy, with keys that are nobody's."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        os.environ.pop(name, None)
        os.environ.pop(name.upper(), None)
    keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
    boto3 = importlib.import_module("boto3")
    return lambda service: boto3.client(service, endpoint_url=endpoint, region_name="us-east-1", **keys)


def bucket(cloud: Open, name: str, value: str) -> str:
    """An object is put into a bucket and fetched."""
    s3 = cloud("s3")
    s3.put_object(Bucket=name, Key="argusic.txt", Body=value.encode())
    came = s3.get_object(Bucket=name, Key="argusic.txt")
    version = {"VersionId": came["VersionId"]} if came.get("VersionId", "null") != "null" else {}
    s3.delete_object(Bucket=name, Key="argusic.txt", **version)
    return str(came["Body"].read().decode())


def queue(cloud: Open, name: str, value: str) -> str:
    """A message is sent to a queue and received."""
    sqs = cloud("sqs")
    url = sqs.get_queue_url(QueueName=name.rsplit("/", 1)[-1].rsplit(":", 1)[-1])["QueueUrl"]
    ordered = {"MessageGroupId": "argusic", "MessageDeduplicationId": "argusic"} if url.endswith(".fifo") else {}
    sqs.send_message(QueueUrl=url, MessageBody=value, **ordered)
    return _received(sqs, url)


def table(cloud: Open, name: str, value: str) -> str:
    """An item is put into a table and read by its key."""
    dynamodb = cloud("dynamodb")
    about = dynamodb.describe_table(TableName=name)["Table"]
    kinds = {one["AttributeName"]: one["AttributeType"] for one in about["AttributeDefinitions"]}
    values = {"S": {"S": "argusic"}, "N": {"N": "351"}, "B": {"B": b"argusic"}}
    key = {one["AttributeName"]: values[kinds[one["AttributeName"]]] for one in about["KeySchema"]}
    others = {name: values[kind] for name, kind in kinds.items() if name not in key}
    dynamodb.put_item(TableName=name, Item={**others, **key, "argusic_value": {"S": value}})
    came = dynamodb.get_item(TableName=name, Key=key).get("Item", {})
    dynamodb.delete_item(TableName=name, Key=key)
    return str(came.get("argusic_value", {}).get("S"))


def topic(cloud: Open, arn: str, value: str) -> str:
    """A message is published on a topic and received by a queue that subscribes to it for the occasion."""
    sns, sqs = cloud("sns"), cloud("sqs")
    fifo = arn.endswith(".fifo")
    made = {"QueueName": "argusic-listens" + ".fifo" * fifo, "Attributes": {"FifoQueue": "true"} if fifo else {}}
    url = sqs.create_queue(**made)["QueueUrl"]
    own = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    subscribed = sns.subscribe(TopicArn=arn, Protocol="sqs", Endpoint=own, ReturnSubscriptionArn=True)
    ordered = {"MessageGroupId": "argusic", "MessageDeduplicationId": "argusic"} if fifo else {}
    sns.publish(TopicArn=arn, Message=value, **ordered)
    came = _received(sqs, url)
    sns.unsubscribe(SubscriptionArn=subscribed["SubscriptionArn"])
    sqs.delete_queue(QueueUrl=url)
    return str(json.loads(came)["Message"]) if came.startswith("{") else came


def key(cloud: Open, name: str, value: str) -> str:
    """A text is encrypted with a key, and decrypted."""
    kms = cloud("kms")
    hidden = kms.encrypt(KeyId=name, Plaintext=value.encode())["CiphertextBlob"]
    if value.encode() in hidden:
        return "the text itself, which was to be hidden"
    return str(kms.decrypt(CiphertextBlob=hidden)["Plaintext"].decode())


def parameter(cloud: Open, name: str, value: str) -> str:
    """A parameter is set and read, and set back to what the template gave it."""
    ssm = cloud("ssm")
    before = ssm.get_parameter(Name=name, WithDecryption=True)["Parameter"]
    ssm.put_parameter(Name=name, Value=value, Type=before["Type"], Overwrite=True)
    came = ssm.get_parameter(Name=name, WithDecryption=True)["Parameter"]["Value"]
    ssm.put_parameter(Name=name, Value=before["Value"], Type=before["Type"], Overwrite=True)
    return str(came)


def secret(cloud: Open, name: str, value: str) -> str:
    """A secret gets a value, which is read."""
    secrets = cloud("secretsmanager")
    secrets.put_secret_value(SecretId=name, SecretString=value)
    return str(secrets.get_secret_value(SecretId=name)["SecretString"])


def stream(cloud: Open, name: str, value: str) -> str:
    """A record is put into a stream and read from its beginning."""
    kinesis = cloud("kinesis")
    put = kinesis.put_record(StreamName=name, Data=value.encode(), PartitionKey="argusic")
    asked = {"StreamName": name, "ShardId": put["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    records = kinesis.get_records(ShardIterator=kinesis.get_shard_iterator(**asked)["ShardIterator"])["Records"]
    return str(records[-1]["Data"].decode()) if records else ""


def log_group(cloud: Open, name: str, value: str) -> str:
    """An event is written to a log and read."""
    logs = cloud("logs")
    logs.create_log_stream(logGroupName=name, logStreamName="argusic")
    event = {"timestamp": int(time.time() * 1000), "message": value}
    logs.put_log_events(logGroupName=name, logStreamName="argusic", logEvents=[event])
    came = logs.get_log_events(logGroupName=name, logStreamName="argusic")["events"]
    logs.delete_log_stream(logGroupName=name, logStreamName="argusic")
    return str(came[-1]["message"]) if came else ""


def _received(sqs: Any, url: str) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        messages = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=0).get("Messages") or []
        if messages:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=messages[0]["ReceiptHandle"])
            return str(messages[0]["Body"])
        time.sleep(0.2)
    return ""


#: How each type of resource is used.
USES: dict[str, Callable[[Open, str, str], str]] = {
    "AWS::S3::Bucket": bucket,
    "AWS::SQS::Queue": queue,
    "AWS::DynamoDB::Table": table,
    "AWS::SNS::Topic": topic,
    "AWS::KMS::Key": key,
    "AWS::SSM::Parameter": parameter,
    "AWS::SecretsManager::Secret": secret,
    "AWS::Kinesis::Stream": stream,
    "AWS::Logs::LogGroup": log_group,
}


def main(endpoint: str, value: str) -> int:
    """Use each part that can be used; return the exit status."""
    made = json.loads(Path("stack.json").read_text(encoding="utf-8"))
    cloud = opener(endpoint)
    usable = [one for one in made if one["type"] in USES][:PARTS]
    wrong = 0
    for one in usable:
        try:
            came = USES[one["type"]](cloud, one["id"], value)
        except Exception as error:
            came = f"{type(error).__name__}: {error}"
        same = came == value
        wrong += not same
        words = f"“{value}” went in and came out" if same else f"“{value}” went in, but not out: {came[:200]!r}"
        say(f"{one['name']} ({one['type']}): {words}")
    say(f"{len(usable) - wrong} of {len(usable)} parts that hold things gave back what went in.")
    return 0 if usable and not wrong else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
