package io.fanfold.demo;

import io.fanfold.config.HostPort;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses an address on the command line. */
public final class HostPortConverter implements ITypeConverter<HostPort> {
    @Override
    public HostPort convert(String text) {
        try {
            return HostPort.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
